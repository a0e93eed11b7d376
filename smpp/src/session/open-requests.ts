// The peer's unanswered requests: their number, their size, and the rate at which they arrive.
import type { DecodedPdu } from '../pdu/decode.ts'
import type { Limits } from './session-types.ts'
import { RateLimit } from './rate.ts'
import { isRated } from './request-kinds.ts'
import { SequenceSet } from './sequence-set.ts'

/** Enforces the peer's limits: the window of unanswered requests, and messages a second. */
export class OpenRequests {
  readonly #owner: object
  readonly #limits: Limits
  readonly #rate: RateLimit
  // Contains only requests that their handler left unanswered, so an immediate answer costs no look-up.
  readonly #openSequences = new SequenceSet()
  unansweredCount = 0
  heldOctets = 0

  /** `owner` marks the requests that are counted here; see `release`. */
  constructor(owner: object, limits: Limits, nowMs: number) {
    this.#owner = owner
    this.#limits = { ...limits }
    this.#rate = new RateLimit(limits.messagesPerSecond, nowMs)
  }

  setLimits(limits: Partial<Limits>, nowMs: number): void {
    Object.assign(this.#limits, limits)
    this.#rate.set(this.#limits.messagesPerSecond, nowMs)
  }

  /** Whether the limits allow a request now; if not, which limit refuses it. */
  check(id: number, nowMs: number): 'taken' | 'window-exceeded' | 'throttled' {
    if (this.unansweredCount >= this.#limits.windowMax) return 'window-exceeded'
    return isRated(id) && !this.#rate.take(nowMs) ? 'throttled' : 'taken'
  }

  open(pdu: DecodedPdu, nowMs: number): void {
    pdu.receivedAtMs = nowMs
    pdu.isRepeatedSequence = this.#openSequences.has(pdu.sequence)
    pdu.owner = this.#owner
    this.unansweredCount += 1
    this.heldOctets += pdu.octets
  }

  /** Called after the handler: remembers a request that is still unanswered. */
  keep(pdu: DecodedPdu): void {
    if (pdu.owner === this.#owner) this.#openSequences.add(pdu.sequence)
  }

  /** Stops counting a request, because it is answered; false when it was not counted. */
  release(pdu: DecodedPdu): boolean {
    if (pdu.owner !== this.#owner) return false
    pdu.owner = undefined
    this.unansweredCount -= 1
    this.heldOctets -= pdu.octets
    this.#openSequences.delete(pdu.sequence)
    return true
  }
}
