// A peer's bind at this node, and the limits its account shares over all of its binds.
import type { BindMode } from '@tollgate/smpp/session/handlers.ts'
import { RateLimit } from '@tollgate/smpp/session/rate.ts'
import type { Session } from '@tollgate/smpp/session/session.ts'
import type { Sender } from '../inbound/lost-store.ts'
import type { Told } from '../inbound/told.ts'

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
  readonly session: Session<Bind>
  readonly limit: AccountLimit
  /** Messages that came, answered well or not. */
  receivedCount: number
  /** Whose messages come over it, and which of them may have had no answer: see inbound/lost-answers.ts. */
  readonly sender: Sender
  readonly told: Told
}

/** Messages a second of one account at this node: its binds share one budget, however many there are. */
export class AccountLimit {
  readonly #rate: RateLimit
  #perSecond: number
  /** Binds of the account here, those being made included. */
  holderCount = 0

  constructor(perSecond: number, nowMs: number) {
    this.#perSecond = perSecond
    this.#rate = new RateLimit(perSecond, nowMs)
  }

  /** 0 is no limit. */
  set(perSecond: number, nowMs: number): void {
    if (perSecond === this.#perSecond) return
    this.#perSecond = perSecond
    this.#rate.set(perSecond, nowMs)
  }

  take(nowMs: number): boolean {
    return this.#rate.take(nowMs)
  }
}
