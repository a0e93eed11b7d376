// Limits the PDUs of a peer that are not accepted messages. Beyond its budget the peer is not read for a while; after
// several such pauses the session is closed.
import type { SessionClock } from './clock.ts'
import type { Deadlines } from './deadlines.ts'
import type { SessionSettings } from './session-types.ts'
import type { Deadline } from './internals.ts'
import { PduBudget } from './pdu-budget.ts'

/** pause: stop reading from the peer. resume: read again. close: there were too many pauses. */
export type FloodAction = 'pause' | 'resume' | 'close'

/** Watches one session. Its deadline is `flood`. */
export class FloodGuard {
  readonly #clock: SessionClock
  readonly #settings: SessionSettings
  readonly #deadlines: Deadlines<Deadline>
  readonly #onAction: (step: FloodAction) => void
  readonly #own: PduBudget
  /** The budget that all sessions of the account share, once its bind has been accepted. */
  shared: PduBudget | undefined
  #isPaused = false
  #pauseCount = 0
  #resumedAtMs = 0

  constructor(
    clock: SessionClock,
    settings: SessionSettings,
    deadlines: Deadlines<Deadline>,
    onAction: (action: FloodAction) => void,
  ) {
    this.#clock = clock
    this.#settings = settings
    this.#deadlines = deadlines
    this.#onAction = onAction
    this.#own = new PduBudget(settings.budget, clock.nowMs())
  }

  /** Charges `points` for a PDU that is not an accepted message; see `pointsOf`. */
  charge(points: number): void {
    const nowMs = this.#clock.nowMs()
    const isWithinOwn = this.#own.take(points, nowMs)
    const isWithinShared = this.shared?.take(points, nowMs) ?? true
    if ((isWithinOwn && isWithinShared) || this.#isPaused) return
    this.#pause(nowMs)
  }

  /** The deadline `flood` is due: reads again, unless other sessions of the account have used the shared budget. */
  due(): void {
    const nowMs = this.#clock.nowMs()
    const waitMs = this.#waitMs(nowMs)
    if (waitMs > 0) return this.#deadlines.start('flood', waitMs)
    this.#isPaused = false
    this.#resumedAtMs = nowMs
    this.#onAction('resume')
  }

  #waitMs(nowMs: number): number {
    return Math.max(this.#own.waitMs(nowMs), this.shared?.waitMs(nowMs) ?? 0)
  }

  #pause(nowMs: number): void {
    const { budget, floodPausesMax } = this.#settings
    const isCalm = nowMs - this.#resumedAtMs > (budget.pointsMax * 1_000) / budget.pointsPerSecond
    this.#pauseCount = isCalm ? 1 : this.#pauseCount + 1
    if (this.#pauseCount > floodPausesMax) return this.#onAction('close')
    this.#isPaused = true
    this.#deadlines.start('flood', this.#waitMs(nowMs))
    this.#onAction('pause')
  }
}
