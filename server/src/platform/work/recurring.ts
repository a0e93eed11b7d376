// Work that recurs for as long as the node runs.

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
}

export class Recurring {
  readonly #options: RecurringOptions
  #stopping: AbortController | undefined
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #isRequested = false
  #isFailing = false

  constructor(options: RecurringOptions) {
    this.#options = options
  }

  /** Begins the first run now and does not wait for it; with a delay, so many milliseconds later. */
  start(delayMs = 0): void {
    if (this.#stopping !== undefined) return
    this.#stopping = new AbortController()
    if (delayMs === 0) this.runSoon()
    else this.#schedule(delayMs)
  }

  /** Waits for the first run. Rejects when it fails; then nothing recurs. */
  async startAfterFirstRun(): Promise<void> {
    await this.#options.run(new AbortController().signal)
    this.start(this.#options.everyMs)
  }

  /** Runs now instead of after the pause; during a run, once more after it. Does nothing before the start. */
  runSoon(): void {
    if (this.#stopping === undefined) return
    if (this.#running !== undefined) {
      this.#isRequested = true
      return
    }
    clearTimeout(this.#timer)
    const { signal } = this.#stopping
    // Set before the run begins, since the run itself may request another one.
    this.#running = Promise.resolve().then(() => this.#run(signal))
  }

  /** Waits for the current run; no other follows. */
  async stop(): Promise<void> {
    this.#stopping?.abort()
    this.#stopping = undefined
    clearTimeout(this.#timer)
    await this.#running
  }

  /** As {@link stop}, and then runs one last time, so that nothing is lost that was collected for it. */
  async stopAfterLastRun(): Promise<void> {
    const { run, onFault } = this.#options
    await this.stop()
    await run(new AbortController().signal).catch((error: unknown) => onFault(error, !this.#isFailing))
  }

  async #run(signal: AbortSignal): Promise<void> {
    const { run, everyMs, onFault, onRecovery, faultPauseMs = everyMs } = this.#options
    this.#isRequested = false
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
    if (this.#isRequested) this.runSoon()
    else this.#schedule(pauseMs)
  }

  #schedule(pauseMs: number): void {
    if (this.#stopping === undefined) return
    this.#timer = setTimeout(() => this.runSoon(), pauseMs)
    this.#timer.unref()
  }
}
