// An outage of the database fails all that a node does, each with a line of its own. They are gathered: one line when it
// begins, and one with their count when it is over.
import { saysDatabaseAway } from './database/away.ts'

interface OutageLog {
  error(fields: object, message: string): void
  warn(fields: object, message: string): void
}

/** After so long without a further fault it is over: something asks the database each second. */
const quietMs = 5_000

interface Outage {
  readonly sinceMs: number
  lastMs: number
  lines: number
}

export class OutageLines {
  readonly #log: () => OutageLog
  #outage: Outage | undefined

  /** `log` writes the lines; it is asked for later, since it gathers by this. */
  constructor(log: () => OutageLog) {
    this.#log = log
  }

  /** Whether a line with these fields is one of an outage, and so left out. */
  takes(fields: unknown): boolean {
    const error = (fields as { err?: unknown } | null | undefined)?.err
    if (!saysDatabaseAway(error)) return false
    const nowMs = performance.now()
    if (this.#outage === undefined) {
      this.#outage = { sinceMs: nowMs, lastMs: nowMs, lines: 1 }
      this.#log().error(
        { reason: error.message },
        'the database does not answer; further lines about it are counted until it does',
      )
      this.#waitForQuiet(quietMs)
    } else Object.assign(this.#outage, { lastMs: nowMs, lines: this.#outage.lines + 1 })
    return true
  }

  #waitForQuiet(ms: number): void {
    setTimeout(() => {
      const outage = this.#outage
      if (outage === undefined) return
      const leftMs = outage.lastMs + quietMs - performance.now()
      if (leftMs > 0) return this.#waitForQuiet(leftMs)
      this.#outage = undefined
      const seconds = Math.round((outage.lastMs - outage.sinceMs) / 100) / 10
      this.#log().warn({ lines: outage.lines, seconds }, 'the database answers again')
    }, ms).unref()
  }
}
