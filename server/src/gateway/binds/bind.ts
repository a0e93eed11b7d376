// A peer's bind at this node, and the limits its account shares over all of its binds.
import type { BindMode } from '@tollgate/smpp/session/handlers.ts'
import { PduBudget } from '@tollgate/smpp/session/pdu-budget.ts'
import { RateLimit } from '@tollgate/smpp/session/rate.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Sender } from '../lost-answers/store.ts'
import type { Told } from '../lost-answers/answer-tracker.ts'

export interface Bind {
  /** Unique over all nodes. */
  readonly id: string
  readonly userId: number
  readonly username: string
  readonly systemId: string
  readonly mode: BindMode
  /** Names the peer's records. */
  readonly gatewayId: number
  readonly passwordSetAt: Date
  readonly isTls: boolean
  readonly remoteAddress: string
  readonly interfaceVersion: string
  readonly boundAtMs: number
  /** Messages of the session that may be unanswered. */
  windowMax: number
  readonly session: Session<Bind>
  readonly limit: AccountLimit
  /** Messages that came, answered well or not. */
  receivedCount: number
  /** Whose messages come over it, and which of them may have had no answer: see inbound/lost-answers.ts. */
  readonly sender: Sender
  readonly told: Told
}

// Four sessions of one account may flood as far as each is let; more of them share that.
const accountBudget = { pointsMax: 4_000, pointsPerSecond: 8_000 }
// Refusing a message that comes too fast costs next to nothing up to here, and as much again as the account may send.
const freeRefusalsPerSecond = 1_000

/** Messages a second of one account at this node: its binds share one budget, however many there are. */
export class AccountLimit {
  readonly #rate: RateLimit
  readonly #refusals: RateLimit
  /** PDUs that are no messages, over all binds of the account here. */
  readonly budget: PduBudget
  #perSecond: number
  /** Binds of the account here, those being made included. */
  holderCount = 0

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#rate = new RateLimit(perSecond, nowMs)
    this.#refusals = new RateLimit(perSecond + freeRefusalsPerSecond, nowMs)
    this.budget = new PduBudget(accountBudget, nowMs)
  }

  /** 0 is no limit. */
  set(perSecond: number, nowMs: number): void {
    if (perSecond === this.#perSecond) return
    this.#perSecond = perSecond
    this.#rate.set(perSecond, nowMs)
    this.#refusals.set(perSecond + freeRefusalsPerSecond, nowMs)
  }

  take(nowMs: number): boolean {
    return this.#rate.take(nowMs)
  }

  /** What a refusal for coming too fast costs of the session's budget. */
  refusalPoints(nowMs: number): number {
    return this.#refusals.take(nowMs) ? 0 : 1
  }
}
