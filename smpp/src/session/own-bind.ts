// Our bind to a peer, from the request to its result.
import type { AnyPdu } from '../pdu/registry.ts'
import type { Deadlines } from './deadlines.ts'
import type { BindMode, SessionSettings } from './session-types.ts'
import type { BindOutcome, Deadline, SessionTransitions } from './internals.ts'
import { bindCommand, type ClientBind } from './request-kinds.ts'
import type { RequestSender } from './request-sender.ts'
import type { PduWriter } from './pdu-writer.ts'

interface OwnBindDeps<Account> {
  settings: SessionSettings
  deadlines: Deadlines<Deadline>
  sender: RequestSender
  pduWriter: PduWriter
  transitions: SessionTransitions<Account>
}

/** Sends our bind and settles its promise once. Never rejects. */
export class OwnBind<Account> {
  readonly #deps: OwnBindDeps<Account>
  #mode: BindMode = 'transceiver'
  #settle: ((outcome: BindOutcome) => void) | undefined

  constructor(deps: OwnBindDeps<Account>) {
    this.#deps = deps
  }

  /** Whether a bind is unanswered. */
  get isOpen(): boolean {
    return this.#settle !== undefined
  }

  /** Sends the bind. A bind that does not fit SMPP ends the session. */
  begin(bind: ClientBind): Promise<BindOutcome> {
    const { settings, deadlines, sender, pduWriter, transitions } = this.#deps
    const { mode, ...body } = bind
    transitions.beginBind(bind)
    const outcome = new Promise<BindOutcome>((settle) => {
      this.#settle = settle
    })
    this.#mode = mode
    deadlines.start('init', settings.responseMs)
    const fault = pduWriter.pdu(bindCommand(mode), sender.claimSequence(), body)
    if (fault !== undefined) transitions.finish('us', 'bind-refused', fault)
    return outcome
  }

  /** Takes a response of the peer; false when it answers something else. */
  answer(pdu: AnyPdu, account: Account): boolean {
    const outcome = this.#read(pdu)
    if (outcome === undefined) return false
    if (outcome.kind === 'bound') this.#deps.transitions.becomeBound(this.#mode, account)
    this.settle(outcome)
    if (outcome.kind === 'refused')
      this.#deps.transitions.finish('peer', 'bind-refused', `status 0x${pdu.status.toString(16)}`)
    return true
  }

  /** Settles the promise; without effect when no bind is unanswered. */
  settle(outcome: BindOutcome): void {
    this.#settle?.(outcome)
    this.#settle = undefined
  }

  #read(pdu: AnyPdu): Exclude<BindOutcome, { kind: 'failed' }> | undefined {
    if (pdu.command !== 'generic_nack' && pdu.command !== `${bindCommand(this.#mode)}_resp`) return undefined
    // A generic_nack with status 0 is a refusal as well; 0xFF is "unknown error" (§5.1.3).
    if (pdu.status !== 0 || pdu.command === 'generic_nack')
      return { kind: 'refused', status: pdu.status === 0 ? 0xff : pdu.status }
    // Many SMSCs accept TLVs without naming their version, so without a version we stay at 3.4 (§5.3.2.25).
    return { kind: 'bound', peerSystemId: 'systemId' in pdu.body ? pdu.body.systemId : '' }
  }
}
