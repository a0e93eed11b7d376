// The peer's requests that wait for their answers: how many, how large, how fast they come.
import type { DecodedPdu } from '../pdu/decode.ts'
import type { Limits } from './handlers.ts'
import { RateLimit } from './rate.ts'
import { isRated } from './requests.ts'
import { SequenceSet } from './sequence-set.ts'

/** Counts what the peer may still send: the window of unanswered requests, and messages a second. */
export class Intake {
  readonly #owner: object
  readonly #limits: Limits
  readonly #rate: RateLimit
  // Only requests that outlive their handler get here, so an answer given at once costs no look-up.
  readonly #openSequences = new SequenceSet()
  unansweredCount = 0
  heldOctets = 0

  /** `owner` marks a request as taken in here; see `release`. */
  constructor(owner: object, limits: Limits, nowMs: number) {
    this.#owner = owner
    this.#limits = { ...limits }
    this.#rate = new RateLimit(limits.messagesPerSecond, nowMs)
  }

  setLimits(limits: Partial<Limits>, nowMs: number): void {
    Object.assign(this.#limits, limits)
    this.#rate.set(this.#limits.messagesPerSecond, nowMs)
  }

  /** Whether a request may come in now; if not, why. */
  judge(id: number, nowMs: number): 'taken' | 'window-exceeded' | 'throttled' {
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

  /** Called after the handler: what is still open will be answered later. */
  keep(pdu: DecodedPdu): void {
    if (pdu.owner === this.#owner) this.#openSequences.add(pdu.sequence)
  }

  /** Takes a request off the books; false when it is not on them. */
  release(pdu: DecodedPdu): boolean {
    if (pdu.owner !== this.#owner) return false
    pdu.owner = undefined
    this.unansweredCount -= 1
    this.heldOctets -= pdu.octets
    this.#openSequences.delete(pdu.sequence)
    return true
  }
}
