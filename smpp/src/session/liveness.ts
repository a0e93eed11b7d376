// Detects a dead peer (enquire_link) and an unused session (inactivity). SMPP 3.4 §7.2.
import type { SessionClock } from './clock.ts'
import { Deadlines } from './deadlines.ts'
import type { SessionSettings } from './session-types.ts'

interface LivenessActions {
  enquire(): void
  missed(): void
  giveUp(): void
  inactive(): void
  /** While we do not read, the peer's answers cannot arrive and must not count as missing. */
  isReading(): boolean
}

/** Watches a bound session; times in ms from its settings, of which 0 switches one off (SMPP 3.4 §7.2). */
export class Liveness {
  readonly #clock: SessionClock
  readonly #settings: SessionSettings
  readonly #actions: LivenessActions
  readonly #deadlines: Deadlines<'idle' | 'answer' | 'inactivity'>
  #missCount = 0
  #enquiredAtMs = 0
  /** Time of the last chunk from the peer. Set with every chunk, read only when a deadline is due. */
  receivedAtMs: number
  /** Time of the last request in either direction, except our own enquire_link. */
  transactionAtMs: number

  constructor(clock: SessionClock, settings: SessionSettings, actions: LivenessActions) {
    this.#clock = clock
    this.#settings = settings
    this.#actions = actions
    this.#deadlines = new Deadlines(clock, (name) => this.#due(name))
    this.receivedAtMs = clock.nowMs()
    this.transactionAtMs = this.receivedAtMs
  }

  /** Starts the timers: the session is bound. */
  start(): void {
    this.transactionAtMs = this.#clock.nowMs()
    if (this.#settings.enquireLinkMs > 0) this.#deadlines.start('idle', this.#settings.enquireLinkMs)
    if (this.#settings.inactivityMs > 0) this.#deadlines.start('inactivity', this.#settings.inactivityMs)
  }

  /** The time of silence before an enquire_link has changed in the settings. */
  retimeEnquiry(): void {
    // While an answer is awaited, the next silence begins with it.
    if (this.#deadlines.isSet('answer')) return
    this.#deadlines.clear('idle')
    if (this.#settings.enquireLinkMs > 0) this.#deadlines.start('idle', this.#settings.enquireLinkMs)
  }

  /** The time without a transaction before the session ends has changed in the settings; it counts from the last one. */
  retimeInactivity(): void {
    this.#deadlines.clear('inactivity')
    const { inactivityMs } = this.#settings
    if (inactivityMs === 0) return
    const leftMs = this.transactionAtMs + inactivityMs - this.#clock.nowMs()
    this.#deadlines.start('inactivity', Math.max(0, leftMs))
  }

  stop(): void {
    this.#deadlines.clearAll()
  }

  #due(name: 'idle' | 'answer' | 'inactivity'): void {
    const nowMs = this.#clock.nowMs()
    if (name === 'idle') {
      const leftMs = this.receivedAtMs + this.#settings.enquireLinkMs - nowMs
      if (leftMs > 0) this.#deadlines.start('idle', leftMs)
      else this.#enquire(nowMs)
    } else if (name === 'answer') this.#judge(nowMs)
    else {
      const leftMs = this.transactionAtMs + this.#settings.inactivityMs - nowMs
      if (leftMs > 0) this.#deadlines.start('inactivity', leftMs)
      else this.#actions.inactive()
    }
  }

  #enquire(nowMs: number): void {
    this.#enquiredAtMs = nowMs
    const { enquireLinkMs, enquireLinkAnswerMs } = this.#settings
    // An answer that came is noticed in time for the next enquire_link, however long it may take.
    const noticedMs = enquireLinkMs > 0 ? Math.min(enquireLinkMs, enquireLinkAnswerMs) : enquireLinkAnswerMs
    this.#deadlines.start('answer', noticedMs)
    this.#actions.enquire()
  }

  #judge(nowMs: number): void {
    const isAlive = this.receivedAtMs >= this.#enquiredAtMs || !this.#actions.isReading()
    if (isAlive) {
      this.#missCount = 0
      const sinceMs = Math.max(0, nowMs - this.receivedAtMs)
      if (this.#settings.enquireLinkMs > 0)
        this.#deadlines.start('idle', Math.max(0, this.#settings.enquireLinkMs - sinceMs))
      return
    }
    const leftMs = this.#enquiredAtMs + this.#settings.enquireLinkAnswerMs - nowMs
    if (leftMs > 0) return this.#deadlines.start('answer', leftMs)
    this.#missCount += 1
    this.#actions.missed()
    if (this.#missCount >= this.#settings.enquireLinkMissesMax) this.#actions.giveUp()
    else this.#enquire(nowMs)
  }
}
