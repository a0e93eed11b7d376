// The peer's bind to us, from the request to its answer.
import type { PduBody } from '../pdu/registry.ts'
import { makeTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { commandStatus } from '../values/command-status.ts'
import { interfaceVersion } from '../values/interface-version.ts'
import type { Ending } from './ending.ts'
import type { BindDecision, BindMode, SessionHandlers } from './handlers.ts'
import type { Steps } from './parts.ts'
import { bindCommand, bindMode, bindRequest } from './requests.ts'
import type { Session } from './session.ts'
import type { Speaker } from './speaker.ts'

interface PeerBindParts<Account> {
  session: Session<Account>
  handlers: SessionHandlers<Account>
  speaker: Speaker
  ending: Ending
  steps: Steps<Account>
}

/** Passes a bind to `onBind`, and answers it if the session still waits for the answer. */
export class PeerBind<Account> {
  readonly #parts: PeerBindParts<Account>

  constructor(parts: PeerBindParts<Account>) {
    this.#parts = parts
  }

  /** Takes one of the three binds. Its answer is sent when `onBind` has decided. */
  take(id: number, sequence: number, body: PduBody<'bind_transceiver'>): void {
    const { session, ending, steps } = this.#parts
    const mode = bindMode(id)
    steps.beginBind(body)
    ending.isBindPending = true
    void this.#judge(mode, body).then((decision) => {
      ending.isBindPending = false
      if (decision.accept) steps.accept(decision.account, decision.budget)
      // The peer may have disconnected, or sent unbind, meanwhile.
      if (session.state === 'binding') this.#answer(id, sequence, mode, decision)
      ending.tellIfDone()
    })
  }

  /** Never rejects: without a handler the bind is refused; when the handler throws, the answer is 0x08. */
  async #judge(mode: BindMode, body: PduBody<'bind_transceiver'>): Promise<BindDecision<Account>> {
    const { session, handlers } = this.#parts
    try {
      const decision = await handlers.onBind?.(session, bindRequest(mode, body))
      return decision ?? { accept: false, status: commandStatus.ESME_RBINDFAIL }
    } catch (error) {
      handlers.onFault?.(session, 'handler-failed', error instanceof Error ? error.message : String(error))
      return { accept: false, status: commandStatus.ESME_RSYSERR }
    }
  }

  #answer(id: number, sequence: number, mode: BindMode, decision: BindDecision<Account>): void {
    const { session, speaker, steps } = this.#parts
    if (!decision.accept) {
      speaker.header(id + 0x80000000, decision.status, sequence)
      steps.finish('us', 'bind-refused', `status 0x${decision.status.toString(16)}`)
      return
    }
    if (decision.limits !== undefined) session.setLimits(decision.limits)
    // §5.3.2.25: we are 3.4, also when the peer named a newer version.
    const tlvs = [makeTlv(tags.scInterfaceVersion, interfaceVersion.v34)]
    speaker.pdu(`${bindCommand(mode)}_resp`, sequence, { systemId: decision.systemId, tlvs })
    steps.becomeBound(mode, decision.account)
  }
}
