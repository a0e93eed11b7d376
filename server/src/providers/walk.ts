// One walk through a provider's pages. The rows of a page and the cursor after it are committed together while the next
// page is being fetched. After a fault the next walk continues from the last committed cursor.
import type { Db } from '../platform/db.ts'
import { mapInTurns } from '../platform/work/in-turns.ts'
import { fencedTransaction, type Lease } from '../platform/work/leases.ts'
import type { ProvidersDeps } from './deps.ts'
import { EndlessPages } from './endless-pages.ts'
import { ProviderFault } from './faults.ts'
import { fetchPage, fetchProbing, type ProviderPageQuery, type ProviderSource } from './fetch-page.ts'
import { keyRows, keyRowsOf } from './key-rows.ts'
import { largeBytes, type PollLimits } from './poll-limits.ts'
import type { EarlierReading, Reading } from './mapping.ts'
import { beginWalk, noteCursor, saveProgress, type WalkProgress } from './progress-store.ts'
import { emptyPage, readPage, type ProviderPage } from './read-page.ts'
import { hash, isFault, readRow, type ParsedRow } from './read-row.ts'
import { recentRowsMax, type RecentRows } from './recent-rows.ts'
import { lockVersion } from './store.ts'
import { rowsAtOnce, storeRows, type StoredCounts } from './store-rows.ts'

export interface WalkParts extends Pick<
  ProvidersDeps,
  'db' | 'egress' | 'messages' | 'secrets' | 'pollTimeoutMs'
> {
  readonly providerId: number
  readonly version: number
  readonly gatewayId: number
  readonly source: ProviderSource
  readonly reading: Reading
  /** The mappings before this one under which rows became records. */
  readonly earlier: readonly EarlierReading[]
  readonly limits: PollLimits
  readonly lease: Pick<Lease, 'name' | 'token'>
  readonly recent: RecentRows
  /** The provider did not respond the last time: it is probed with short requests as well. */
  readonly isProbing: boolean
  readonly signal: AbortSignal
  /** Called after each commit. */
  readonly onStored: (taken: StoredCounts) => void
}

/** The provider was changed or deleted while it was polled. */
export class ConfigurationChanged extends Error {
  override readonly name = 'ConfigurationChanged'
}

interface LoadedPage extends Omit<ProviderPage, 'rows'> {
  readonly rows: readonly ParsedRow[]
  /** Its next cursor is the one that it was asked with. */
  readonly isCircle: boolean
  readonly release: () => void
}

/** Where a walk begins: at the cursor of one that was interrupted, or at `since`. */
export interface WalkStart {
  readonly since: Date
  readonly resumes: boolean
}

export class ProviderWalk {
  readonly #parts: WalkParts
  readonly #since: Date
  readonly #ending = new AbortController()
  readonly #signal: AbortSignal
  #progress: WalkProgress
  #isBegun: boolean
  #isProbing: boolean
  /** The last page names a cursor that the walk had before: the list is at its end. */
  #isCircle = false
  readonly #endless = new EndlessPages()

  constructor(parts: WalkParts, progress: WalkProgress, { since, resumes }: WalkStart) {
    this.#parts = parts
    this.#since = since
    this.#isBegun = resumes
    this.#isProbing = parts.isProbing
    this.#progress = resumes
      ? progress
      : { ...progress, walkSince: since, walkNewest: null, cursor: null, isPartial: false }
    this.#signal = AbortSignal.any([parts.signal, this.#ending.signal])
  }

  /** The committed progress. */
  get progress(): WalkProgress {
    return this.#progress
  }

  /** Reads to the last page. Throws the fault that interrupted it; all pages before are stored. */
  async run(): Promise<void> {
    let ahead = this.#load(this.#progress.cursor)
    try {
      for (;;) {
        const page = await ahead
        const { nextCursor } = page
        // The next page is fetched while this one is stored, unless both would take much memory.
        const isAhead = nextCursor !== null && page.byteCount <= largeBytes
        if (isAhead) ahead = this.#loadAhead(nextCursor)
        try {
          await this.#store(page)
        } finally {
          page.release()
        }
        if (nextCursor === null) return
        if (this.#isCircle) return void (isAhead && this.#drop(ahead))
        if (!isAhead) ahead = this.#load(nextCursor)
      }
    } catch (error) {
      this.#drop(ahead)
      throw error
    }
  }

  /** A page that is being fetched is not needed any more. */
  #drop(ahead: Promise<LoadedPage>): void {
    this.#ending.abort()
    void ahead.then(
      ({ release }) => release(),
      () => undefined,
    )
  }

  #loadAhead(cursor: string): Promise<LoadedPage> {
    const ahead = this.#load(cursor)
    // The failure is handled when this page is awaited; until then it must not count as an unhandled rejection.
    ahead.catch(() => undefined)
    return ahead
  }

  async #load(cursor: string | null): Promise<LoadedPage> {
    const { source, egress, limits, reading, pollTimeoutMs } = this.#parts
    const query: ProviderPageQuery = { since: this.#since, cursor }
    const fetching = this.#isProbing ? fetchProbing : fetchPage
    this.#isProbing = false
    const { body, release } = await fetching(source, query, {
      egress,
      limits,
      timeoutMs: pollTimeoutMs,
      signal: this.#signal,
    })
    try {
      const page = body === null ? emptyPage : await readPage(body, reading.paths)
      // Some name the last cursor for ever.
      const isLast = page.nextCursor === cursor
      const nowMs = Date.now()
      const rows = await mapInTurns(page.rows, (raw) => readRow(raw, reading, nowMs))
      return {
        ...page,
        ...(isLast && { nextCursor: null }),
        isCircle: isLast && cursor !== null,
        rows,
        release,
      }
    } catch (error) {
      release()
      throw error
    }
  }

  async #store(page: LoadedPage): Promise<void> {
    if (await this.#isNothingNew(page)) {
      this.#parts.onStored({ storedCount: 0, duplicateCount: page.rows.length, waitingCount: 0 })
      return
    }
    const { walkNewest } = this.#progress
    let from = 0
    let storedCount = 0
    do {
      const to = from + rowsAtOnce
      const chunk = page.rows.slice(from, to)
      const isLast = to >= page.rows.length
      storedCount += await this.#parts.limits.stores.run(() => this.#storeChunk(page, chunk, isLast), {
        key: String(this.#parts.providerId),
        signal: this.#signal,
      })
      from = to
    } while (from < page.rows.length)
    const hasNewer = isLater(this.#progress.walkNewest, walkNewest)
    this.#endless.note({ rowCount: page.rows.length, leadsOn: storedCount > 0 || hasNewer })
    if (page.nextCursor !== null && this.#endless.isEndless)
      throw new ProviderFault('The provider gives page after page without anything new.', { endsWalk: true })
  }

  /** The usual poll of a quiet provider: one page of recently stored rows. It costs no transaction. */
  async #isNothingNew({ rows, nextCursor }: LoadedPage): Promise<boolean> {
    const { recent } = this.#parts
    if (this.#isBegun || nextCursor !== null || rows.length > recentRowsMax) return false
    return (await keyRowsOf(rows)).every((row) => recent.has(row))
  }

  /** Gives how many rows became records. */
  async #storeChunk(page: LoadedPage, chunk: readonly ParsedRow[], isLast: boolean): Promise<number> {
    const { db, lease, providerId, version, recent, onStored } = this.#parts
    const isOnlyPage = !this.#isBegun && page.nextCursor === null && isLast
    const { taken, keyed, next, isCircle } = await fencedTransaction(db, lease, async (tx) => {
      if (!(await lockVersion(tx, providerId, version)))
        throw new ConfigurationChanged('The provider was changed while it was polled')
      if (!this.#isBegun) await beginWalk(tx, providerId)
      const leadsBack = isLast && page.nextCursor !== null && !(await this.#noteCursor(tx, page.nextCursor))
      // In a circle a row without an id cannot be told from its own repetition.
      const rows = isOnlyPage
        ? await keyRowsOf(chunk)
        : await keyRows(tx, providerId, chunk, { isCircle: leadsBack || page.isCircle })
      const result = await storeRows(tx, this.#parts, rows)
      const progress = this.#after({ nextCursor: leadsBack ? null : page.nextCursor }, chunk, isLast)
      await saveProgress(tx, providerId, progress, result.storedCount)
      return { taken: result, keyed: rows, next: progress, isCircle: leadsBack }
    })
    this.#isBegun = true
    this.#progress = next
    if (taken.waitingCount === 0) recent.add(keyed)
    onStored(taken)
    this.#isCircle = isCircle
    return taken.storedCount
  }

  /** The progress once this chunk is stored. */
  #after(
    { nextCursor }: Pick<LoadedPage, 'nextCursor'>,
    chunk: readonly ParsedRow[],
    isLast: boolean,
  ): WalkProgress {
    const { cursor, newest, walkNewest } = this.#progress
    const found = newestOf(chunk, walkNewest)
    if (!isLast) return { ...this.#progress, cursor, walkNewest: found, isPartial: true }
    if (nextCursor !== null)
      return { ...this.#progress, cursor: nextCursor, walkNewest: found, isPartial: false }
    return {
      walkSince: null,
      walkNewest: null,
      cursor: null,
      isPartial: false,
      newest: later(newest, found === null ? null : new Date(Math.min(found.getTime(), Date.now()))),
    }
  }

  /** False when the walk had this cursor before. */
  #noteCursor(tx: Db, cursor: string): Promise<boolean> {
    return noteCursor(tx, this.#parts.providerId, hash('cursor', cursor))
  }
}

function newestOf(rows: readonly ParsedRow[], before: Date | null): Date | null {
  let newestMs = before?.getTime() ?? -Infinity
  for (const { content } of rows)
    if (!isFault(content) && content.createdAtMs > newestMs) newestMs = content.createdAtMs
  return newestMs === -Infinity ? null : new Date(newestMs)
}

function isLater(one: Date | null, other: Date | null): boolean {
  return one !== null && (other === null || one > other)
}

function later(one: Date | null, other: Date | null): Date | null {
  if (one === null || other === null) return one ?? other
  return one > other ? one : other
}
