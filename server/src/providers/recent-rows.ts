// A cache of recently stored rows: polls overlap, so the same rows come again and again. A row that is no longer in the
// cache is looked up in the database.
import { isFault, type KeyedRow } from './read-row.ts'

/** How many rows the cache has at most. */
export const recentRowsMax = 5_000

export class RecentRows {
  /** Report by key, the least recent first. */
  readonly #reports = new Map<string, number>()

  /** Whether a row is a record already and has no new report. */
  has({ key, content }: KeyedRow): boolean {
    const report = this.#reports.get(key)
    if (report === undefined) return false
    return isFault(content) || content.noReport === 0 || content.noReport === report
  }

  /** Adds rows that are records; call it after the commit. */
  add(rows: readonly KeyedRow[]): void {
    for (const { key, content } of rows.slice(-recentRowsMax)) {
      const noReport = isFault(content) ? 0 : content.noReport
      const known = this.#reports.get(key) ?? 0
      this.#reports.delete(key)
      this.#reports.set(key, noReport === 0 ? known : noReport)
    }
    for (const key of this.#reports.keys()) {
      if (this.#reports.size <= recentRowsMax) break
      this.#reports.delete(key)
    }
  }
}
