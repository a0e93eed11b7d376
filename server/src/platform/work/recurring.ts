// Work that recurs for as long as the node runs.
import { once } from 'node:events'

/** What a run may return to choose the pause before the next one. */
interface NextRun {
  readonly pauseMs: number
}

export interface RecurringOptions {
  /** One run at a time. The signal is aborted at the stop. */
  readonly run: (signal: AbortSignal) => Promise<NextRun | void>
  /** From the end of one run to the start of the next, unless the run returns another pause. */
  readonly everyMs: number
  /** Gets what a run throws; the next run comes all the same. `isFirst` is true for the first of several in a row. */
  readonly onFault: (error: unknown, isFirst: boolean) => void
  /** Called when a run succeeds after one that failed. */
  readonly onRecovery?: () => void
  /** The pause after a run that failed; `everyMs` by default. */
  readonly faultPauseMs?: number
  /** The least pause before a run that {@link Recurring.runSoon} requests, so that many requests share one; 0 by default. */
  readonly gatherMs?: number
}

export class Recurring {
  readonly #options: RecurringOptions
  #stopping: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isRequested = false
  #isFailing = false
  #endedAtMs = -Infinity

  constructor(options: RecurringOptions) {
    this.#options = options
  }

  /** Begins the first run now and does not wait for it; with a delay, so many milliseconds later. */
  start(delayMs = 0): void {
    if (this.#stopping !== undefined) return
    this.#stopping = new AbortController()
    if (this.#running !== undefined) this.#isRequested = true
    else if (delayMs === 0) this.#runNow()
    else this.#schedule(delayMs)
  }

  /** Waits for the first run. Rejects when it fails; then nothing recurs. */
  async startAfterFirstRun(): Promise<void> {
    await this.#options.run(new AbortController().signal)
    this.start(this.#options.everyMs)
  }

  /** Runs now instead of after the pause; during a run, once more after it. Does nothing before the start. */
  runSoon(): void {
    if (this.#stopping === undefined || this.#isRequested) return
    const gatherMs = this.#endedAtMs + (this.#options.gatherMs ?? 0) - performance.now()
    if (this.#running === undefined && gatherMs <= 0) return this.#runNow()
    this.#isRequested = true
    if (this.#running === undefined) this.#schedule(gatherMs)
  }

  /** Recurs until `signal` is aborted; then waits for the current run. */
  async runUntil(signal: AbortSignal): Promise<void> {
    this.start()
    if (!signal.aborted) await once(signal, 'abort')
    await this.stop()
  }

  /** Waits for the current run; no other follows. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#stopping = undefined
    this.#isRequested = false
    clearTimeout(this.#timer)
    await this.#running
  }

  /** As {@link stop}, and then runs one last time, so that nothing is lost that was collected for it. */
  async stopAfterLastRun(): Promise<void> {
    const { run, onFault } = this.#options
    await this.stop()
    await run(new AbortController().signal).catch((error: unknown) => onFault(error, !this.#isFailing))
  }

  #runNow(): void {
    if (this.#stopping === undefined) return
    clearTimeout(this.#timer)
    this.#isRequested = false
    const { signal } = this.#stopping
    // Set before the run begins, since the run itself may request another one.
    this.#running = Promise.resolve().then(() => this.#run(signal))
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { run, everyMs, onFault, onRecovery, faultPauseMs = everyMs, gatherMs = 0 } = this.#options
    let pauseMs = everyMs
    try {
      pauseMs = (await run(signal))?.pauseMs ?? everyMs
      if (this.#isFailing) onRecovery?.()
      this.#isFailing = false
    } catch (error) {
      pauseMs = faultPauseMs
      onFault(error, !this.#isFailing)
      this.#isFailing = true
    }
    this.#running = undefined
    this.#endedAtMs = performance.now()
    if (this.#isRequested && gatherMs === 0) this.#runNow()
    else this.#schedule(this.#isRequested ? Math.min(pauseMs, gatherMs) : pauseMs)
  }

  #schedule(pauseMs: number): void {
    if (this.#stopping === undefined) return
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => this.#runNow(), pauseMs)
    this.#timer.unref()
  }
}
