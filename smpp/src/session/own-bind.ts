// Our bind to a peer, from the request to its one outcome.
import type { AnyPdu } from '../pdu/registry.ts'
import type { BindMode } from './handlers.ts'
import type { BindOutcome } from './parts.ts'
import { bindCommand } from './requests.ts'

/** Holds the outcome of a bind of ours until it is known. Never rejects. */
export class OwnBind {
  #settle: ((outcome: BindOutcome) => void) | undefined

  /** The bind is on its way, or about to be. */
  get isOpen(): boolean {
    return this.#settle !== undefined
  }

  /** Opens it; gives what it will come to. */
  begin(): Promise<BindOutcome> {
    return new Promise((settle) => {
      this.#settle = settle
    })
  }

  /** What a response of the peer says about it; undefined for a response to something else. */
  read(pdu: AnyPdu, mode: BindMode): Exclude<BindOutcome, { kind: 'failed' }> | undefined {
    if (pdu.command !== 'generic_nack' && pdu.command !== `${bindCommand(mode)}_resp`) return undefined
    // A nack without a status refuses as well; 0xFF is "unknown error" (§5.1.3).
    if (pdu.status !== 0 || pdu.command === 'generic_nack')
      return { kind: 'refused', status: pdu.status === 0 ? 0xff : pdu.status }
    // Many centres take TLVs without naming their version, so its absence does not lower ours (§5.3.2.25).
    return { kind: 'bound', peerSystemId: 'systemId' in pdu.body ? pdu.body.systemId : '' }
  }

  /** Settles it; without effect when it is not open. */
  settle(outcome: BindOutcome): void {
    this.#settle?.(outcome)
    this.#settle = undefined
  }
}
