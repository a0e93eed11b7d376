// Long polling of the log, for programs that can neither hold a stream open nor be called: a page of events after a cursor,
// or, when there is none yet, the first that comes while the caller waits.
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { PolledEvents } from '@tollgate/contract/records.ts'
import type { Db } from '../../platform/db.ts'
import { formatPosition, parsePosition, type LogPosition } from '../log/log-position.ts'
import { logEnd, readLog, type LogPage } from '../log/read-log.ts'
import { readNames } from '../query/names.ts'
import { viewRecord } from '../read/record-view.ts'
import { contentFields, type ReadEventContents } from './event-contents.ts'
import { ownerScope, type Viewer } from '../read/viewer.ts'

// Each waiting caller costs a query of the log's end in each of them.
const lookEveryMs = 1_000
// A program needs one; more would take the calls that its person may make at the same time.
const waitersPerPerson = 3
const waitersInAll = 200
// A program that was away for months reads on with its next calls.
const pagesPerLook = 20

export interface PollQuery {
  readonly cursor?: string | undefined
  readonly limit: number
  readonly waitSeconds: number
  /** Set for a reader who asked for texts. */
  readonly contents?: ReadEventContents | undefined
}

/** The callers that wait on this node. */
export class EventPolls {
  readonly #db: Db
  readonly #waiting = new Map<number, number>()

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * The events after the cursor, from about `limit` records; without a cursor none, and the cursor of the log's end. Throws
   * Refusal invalid for a text that is no cursor, and too_many when this person or all persons wait too often.
   */
  async poll(viewer: Viewer, query: PollQuery, signal: AbortSignal): Promise<PolledEvents> {
    const { cursor, limit, waitSeconds, contents } = query
    if (cursor === undefined) return { events: [], cursor: formatPosition(await logEnd(this.#db)) }
    const after = parsePosition(cursor)
    if (after === undefined)
      throw new Refusal('invalid', 'This cursor is not of this feed. Begin without one.', {
        fields: { cursor: 'Not a cursor of this feed' },
      })
    const page = await this.#read(viewer, after, limit)
    if (page.events.length > 0 || waitSeconds === 0) return this.#show(viewer, page, contents)
    return this.#show(viewer, await this.#wait(viewer, page, { limit, waitSeconds, signal }), contents)
  }

  /** Looks again and again until there are events or the time is over. */
  async #wait(
    viewer: Viewer,
    start: LogPage,
    { limit, waitSeconds, signal }: Omit<PollQuery, 'cursor' | 'contents'> & { readonly signal: AbortSignal },
  ): Promise<LogPage> {
    const leave = this.#enter(viewer.userId)
    let page = start
    try {
      const endMs = performance.now() + waitSeconds * 1_000
      for (let leftMs = waitSeconds * 1_000; page.events.length === 0 && leftMs > 0;) {
        await sleep(Math.min(lookEveryMs, leftMs), undefined, { signal })
        page = await this.#read(viewer, page.upTo, limit)
        leftMs = endMs - performance.now()
      }
    } catch (error) {
      // The caller went away, or the server stops: the cursor so far is still right.
      if (!signal.aborted) throw error
    } finally {
      leave()
    }
    return page
  }

  #enter(userId: number): () => void {
    const own = this.#waiting.get(userId) ?? 0
    const all = [...this.#waiting.values()].reduce((sum, count) => sum + count, 0)
    if (own >= waitersPerPerson || all >= waitersInAll)
      throw new Refusal('too_many', 'Too many calls wait for events. Poll without waiting, or try again.', {
        retryAfterSeconds: 10,
      })
    this.#waiting.set(userId, own + 1)
    return () => {
      const left = (this.#waiting.get(userId) ?? 1) - 1
      if (left === 0) this.#waiting.delete(userId)
      else this.#waiting.set(userId, left)
    }
  }

  /** Reads on over what is others', within limits: the next call goes on from there. */
  async #read(viewer: Viewer, after: LogPosition, limit: number): Promise<LogPage> {
    const filter = { recordsMax: limit, ownerId: ownerScope(viewer) }
    let page = await readLog(this.#db, after, filter)
    for (let pages = 1; page.events.length === 0 && !page.isEnd && pages < pagesPerLook; pages += 1)
      page = await readLog(this.#db, page.upTo, filter)
    return page
  }

  async #show(
    viewer: Viewer,
    { events, upTo }: LogPage,
    contents: ReadEventContents | undefined,
  ): Promise<PolledEvents> {
    const records = events.map(({ record }) => record)
    const names = await readNames(this.#db, records)
    const carried = await contents?.(records)
    return {
      events: events.map(({ position, record }) => ({
        id: formatPosition(position),
        type: position.kind === 0 ? 'record' : 'record-updated',
        record: {
          ...viewRecord(record, names, viewer),
          ...(carried && contentFields(carried.get(Number(record.id)))),
        },
      })),
      cursor: formatPosition(upTo),
    }
  }
}
