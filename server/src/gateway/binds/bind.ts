// A peer's bind at this node, and the limits that all binds of its account share.
import type { BindMode } from '@tollgate/smpp/session/session-types.ts'
import { PduBudget } from '@tollgate/smpp/session/pdu-budget.ts'
import { RateLimit } from '@tollgate/smpp/session/rate.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { SessionTreatment } from '../../users/index.ts'
import type { IdStyle } from '../../ingest/index.ts'
import type { PeerRef } from '../lost-answers/store.ts'
import type { AnswerTracker } from '../lost-answers/answer-tracker.ts'

export interface Bind {
  /** Unique over all nodes. */
  readonly id: string
  readonly userId: number
  readonly username: string
  readonly systemId: string
  readonly mode: BindMode
  /** The gateway row under which the peer's records are stored. */
  readonly gatewayId: number
  readonly passwordSetAt: Date
  readonly isTls: boolean
  readonly remoteAddress: string
  readonly interfaceVersion: string
  readonly boundAtMs: number
  /** How many messages of the session may be unanswered at once. */
  windowMax: number
  /** The part of the account's profile that is at work in the session. */
  treatment: SessionTreatment
  /** How the peer gets its message ids. */
  idStyle: IdStyle
  /** The version that the peer named in its bind. */
  readonly namedVersion: number
  readonly session: Session<Bind>
  readonly limit: AccountLimit
  /** Messages received, accepted or not. */
  receivedCount: number
  /** Identifies the sending account to the lost-answers folder. */
  readonly peer: PeerRef
  readonly answerTracker: AnswerTracker
}

// PDUs other than messages: four sessions of one account may each use their full budget; more sessions share the total.
const accountBudget = { pointsMax: 4_000, pointsPerSecond: 8_000 }
// Throttled messages above the account's rate that are refused without a charge to the session's PDU budget.
const freeRefusalsPerSecond = 1_000

// How far the parts of messages that have begun may run ahead of the rate: as many as a usual long message has.
const partsCreditMax = 10
const begunMax = 1_000

/** A message that is one part of a long one. */
export interface MessagePart {
  /** Equal for all parts of it, whichever bind they come over. */
  readonly message: string
  readonly total: number
}

/** Limits of one account at this node, shared by all of its binds here. */
export class AccountLimit {
  readonly #rate: RateLimit
  readonly #refusals: RateLimit
  /** PDUs other than messages, over all binds of the account here. */
  readonly budget: PduBudget
  #perSecond: number
  /** Long messages of which some parts were taken, with their number; those without a new part for longest go first. */
  readonly #begun = new Map<string, number>()
  /** Binds of the account here, including those being made. */
  bindCount = 0

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#rate = new RateLimit(perSecond, nowMs)
    this.#refusals = new RateLimit(perSecond + freeRefusalsPerSecond, nowMs)
    this.budget = new PduBudget(accountBudget, nowMs)
  }

  /** Changes the rate; 0 means no limit. */
  set(perSecond: number, nowMs: number): void {
    if (perSecond === this.#perSecond) return
    this.#perSecond = perSecond
    this.#rate.set(perSecond, nowMs)
    this.#refusals.set(perSecond + freeRefusalsPerSecond, nowMs)
  }

  /** Whether a message may come now. The parts of a message that has begun may, so that no limit tears a text. */
  take(nowMs: number, part?: MessagePart): boolean {
    if (part === undefined || this.#perSecond === 0) return this.#rate.take(nowMs)
    const seenCount = this.#begun.get(part.message)
    if (!this.#rate.take(nowMs, seenCount === undefined ? 0 : partsCreditMax)) return false
    this.#begun.delete(part.message)
    const count = (seenCount ?? 0) + 1
    if (count < part.total) this.#begun.set(part.message, count)
    if (this.#begun.size > begunMax) this.#begun.delete(this.#begun.keys().next().value ?? '')
    return true
  }

  /** What the refusal of a throttled message costs of the session's PDU budget. */
  refusalPoints(nowMs: number): number {
    return this.#refusals.take(nowMs) ? 0 : 1
  }
}
