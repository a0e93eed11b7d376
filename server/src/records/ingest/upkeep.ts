// Runs ingest's background tasks; a task never runs twice at once.
import { setTimeout as sleep } from 'node:timers/promises'

export interface UpkeepTask {
  readonly name: string
  readonly everyMs: number
  readonly run: () => Promise<unknown>
}

export class Upkeep {
  readonly #tasks: readonly UpkeepTask[]
  readonly #onFault: (name: string, error: Error) => void
  readonly #ending = new AbortController()
  #loops: Promise<void>[] = []

  constructor(tasks: readonly UpkeepTask[], onFault: (name: string, error: Error) => void) {
    this.#tasks = tasks
    this.#onFault = onFault
  }

  start(): void {
    this.#loops = this.#tasks.map((task) => this.#loop(task))
  }

  /** Waits for the current runs and then runs each task one last time, so that no count is lost. */
  async stop(): Promise<void> {
    this.#ending.abort()
    await Promise.all(this.#loops)
  }

  async #loop({ name, everyMs, run }: UpkeepTask): Promise<void> {
    const { signal } = this.#ending
    for (;;) {
      const isLast = signal.aborted
      try {
        await run()
      } catch (error) {
        this.#onFault(name, error instanceof Error ? error : new Error(String(error)))
      }
      if (isLast) return
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
}
