// The peer's bind to us, from the request to its answer.
import type { PduBody } from '../pdu/registry.ts'
import { makeTlv } from '../tlv/tlv.ts'
import { tags } from '../tlv/tags.ts'
import { commandStatus } from '../values/command-status.ts'
import { interfaceVersion } from '../values/interface-version.ts'
import type { SessionEnd } from './session-end.ts'
import type { BindDecision, BindMode } from './session-types.ts'
import type { SessionTransitions } from './internals.ts'
import { bindCommand, bindMode, bindRequest } from './request-kinds.ts'
import type { Session, SessionHandlers } from './session.ts'
import type { PduWriter } from './pdu-writer.ts'

interface PeerBindDeps<Account> {
  session: Session<Account>
  handlers: SessionHandlers<Account>
  pduWriter: PduWriter
  sessionEnd: SessionEnd
  transitions: SessionTransitions<Account>
}

/** Passes a bind to `onBind`, and answers it if the session still waits for the answer. */
export class PeerBind<Account> {
  readonly #deps: PeerBindDeps<Account>

  constructor(deps: PeerBindDeps<Account>) {
    this.#deps = deps
  }

  /** Takes one of the three binds. Its answer is sent when `onBind` has decided. */
  take(id: number, sequence: number, body: PduBody<'bind_transceiver'>): void {
    const { session, sessionEnd, transitions } = this.#deps
    const mode = bindMode(id)
    transitions.beginBind(body)
    sessionEnd.isBindPending = true
    void this.#judge(mode, body).then((decision) => {
      sessionEnd.isBindPending = false
      if (decision.accept) transitions.accept(decision.account, decision.budget)
      // The peer may have disconnected, or sent unbind, meanwhile.
      if (session.state === 'binding') this.#answer(id, sequence, mode, decision)
      sessionEnd.reportIfDone()
    })
  }

  /** Never rejects: without a handler the bind is refused; when the handler throws, the answer is 0x08. */
  async #judge(mode: BindMode, body: PduBody<'bind_transceiver'>): Promise<BindDecision<Account>> {
    const { session, handlers } = this.#deps
    try {
      const decision = await handlers.onBind?.(session, bindRequest(mode, body))
      return decision ?? { accept: false, status: commandStatus.ESME_RBINDFAIL }
    } catch (error) {
      handlers.onFault?.(session, 'handler-failed', error instanceof Error ? error.message : String(error))
      return { accept: false, status: commandStatus.ESME_RSYSERR }
    }
  }

  #answer(id: number, sequence: number, mode: BindMode, decision: BindDecision<Account>): void {
    const { session, pduWriter, transitions } = this.#deps
    if (!decision.accept) {
      pduWriter.header(id + 0x80000000, decision.status, sequence)
      transitions.finish('us', 'bind-refused', `status 0x${decision.status.toString(16)}`)
      return
    }
    if (decision.limits !== undefined) session.setLimits(decision.limits)
    if (decision.profile !== undefined) session.setProfile(decision.profile)
    // §5.3.2.25: we are 3.4, also when the peer named a newer version.
    const tlvs = [makeTlv(tags.scInterfaceVersion, interfaceVersion.v34)]
    pduWriter.pdu(`${bindCommand(mode)}_resp`, sequence, { systemId: decision.systemId, tlvs })
    transitions.becomeBound(mode, decision.account)
  }
}
