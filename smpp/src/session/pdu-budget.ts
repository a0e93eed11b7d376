// What a peer may send besides messages that are taken: a token bucket in points, of which each such PDU costs some.
// A message that is taken never comes here; its own limits are the window and the rate.
import { commandId, isResponse } from '../values/command-id.ts'
import { isRated } from './requests.ts'

/** How many points there are at most, and how many come back a second. */
export interface PduBudgetSize {
  readonly pointsMax: number
  readonly pointsPerSecond: number
}

/**
 * What one PDU costs: a refused message or a stray response is read and little more; an enquire_link, a bad or an
 * unknown PDU is answered besides; query_sm asks the database.
 */
export function pointsOf(id: number): number {
  if (isResponse(id) || isRated(id)) return 1
  return id === commandId.query_sm ? 20 : 10
}

/** The bucket of one session, or of all sessions of an account. Times are ms of any clock. */
export class PduBudget {
  readonly #size: PduBudgetSize
  #points: number
  #atMs: number

  constructor(size: PduBudgetSize, nowMs: number) {
    this.#size = size
    this.#points = size.pointsMax
    this.#atMs = nowMs
  }

  /** Takes `points`. False where there were not as many: they are owed then, and nothing more should be served. */
  take(points: number, nowMs: number): boolean {
    this.#points -= points
    if (this.#points >= 0) return true
    this.#refill(nowMs)
    return this.#points >= 0
  }

  /** How long until half of the bucket is there: less would be gone with the next few PDUs. */
  waitMs(nowMs: number): number {
    this.#refill(nowMs)
    const { pointsMax, pointsPerSecond } = this.#size
    return Math.max(0, Math.ceil(((pointsMax / 2 - this.#points) * 1_000) / pointsPerSecond))
  }

  #refill(nowMs: number): void {
    const passedMs = Math.max(0, nowMs - this.#atMs)
    this.#atMs = nowMs
    const { pointsMax, pointsPerSecond } = this.#size
    this.#points = Math.min(pointsMax, this.#points + (passedMs * pointsPerSecond) / 1_000)
  }
}
