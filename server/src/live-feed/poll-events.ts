// Long polling of the log, for programs that can neither hold a stream open nor be called: a page of events after a cursor,
// or, when there is none yet, the first that comes while the caller waits.
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { PolledEvents } from '@tollgate/contract/live-feed/live-feed.ts'
import type { Db } from '../platform/db.ts'
import { FairQueue } from '../platform/load/fair-queue.ts'
import {
  comparePositions,
  formatPosition,
  parsePosition,
  type LogPosition,
  logEnd,
  readLog,
  type LogEvent,
  readNames,
} from '../ingest/index.ts'
import {
  type LongMessage,
  joinBodies,
  partIdsOf,
  viewLongMessage,
  readEnds,
  type EndOfMessage,
} from '../long-messages/index.ts'
import { type MessageContents, viewRecord, ownerScope, type Viewer } from '../records/index.ts'
import { contentFields, type ReadEventContents } from './event-contents.ts'

// Each waiting caller costs one query of the log's end in each of these intervals.
const lookEveryMs = 1_000
// A program needs one; more would take the calls that its person may make at the same time.
const waiterLimits = { runningMaxOfKey: 3, runningMax: 200, waitingMaxOfKey: 0 }
// A program that was away for months reads on with its next calls.
const pagesPerLook = 20

export interface PollQuery {
  readonly cursor?: string | undefined
  readonly limit: number
  readonly waitSeconds: number
  /** Set for a reader who asked for texts. */
  readonly contents?: ReadEventContents | undefined
}

/** How one caller reads. */
export interface PollReading {
  readonly signal: AbortSignal
  /** Does a read of the log in its turn: a program that was away reads far back. */
  readonly piece: <T>(work: () => Promise<T>) => Promise<T>
}

/** The callers that wait on this node. */
export class EventPolls {
  readonly #db: Db
  readonly #waiters = new FairQueue(waiterLimits, tooManyWait)

  constructor(db: Db) {
    this.#db = db
  }

  /**
   * The events after the cursor, from about `limit` records; without a cursor none, and the cursor of the log's end. Throws
   * Refusal invalid for a text that is no cursor, and too_many when this person or all persons wait too often.
   */
  async poll(viewer: Viewer, query: PollQuery, reading: PollReading): Promise<PolledEvents> {
    const { cursor, limit, waitSeconds, contents } = query
    if (cursor === undefined) return { events: [], cursor: formatPosition(await logEnd(this.#db)) }
    const after = parsePosition(cursor)
    if (after === undefined)
      throw new Refusal('invalid', 'This cursor is not of this feed. Begin without one.', {
        fields: { cursor: 'Not a cursor of this feed' },
      })
    const page = await this.#read(viewer, after, limit, reading.piece)
    if (page.events.length > 0 || waitSeconds === 0)
      return reading.piece(() => this.#show(viewer, page, contents))
    const { signal, piece } = reading
    return this.#show(viewer, await this.#wait(viewer, page, { limit, waitSeconds, signal, piece }), contents)
  }

  /** Looks again and again until there are events or the time is over. */
  async #wait(
    viewer: Viewer,
    start: EventPage,
    { limit, waitSeconds, signal, piece }: Omit<PollQuery, 'cursor' | 'contents'> & PollReading,
  ): Promise<EventPage> {
    const leave = await this.#waiters.enter({ key: String(viewer.userId) })
    let page = start
    try {
      const endMs = performance.now() + waitSeconds * 1_000
      for (let leftMs = waitSeconds * 1_000; page.events.length === 0 && leftMs > 0;) {
        await sleep(Math.min(lookEveryMs, leftMs), undefined, { signal })
        // What came within the last second is little, and is not kept waiting.
        const read: PollReading['piece'] = page.isEnd ? (work) => work() : piece
        page = await this.#read(viewer, page.upTo, limit, read)
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

  /** Reads past the records of others, within a limit of pages; the next call continues there. */
  async #read(
    viewer: Viewer,
    after: LogPosition,
    limit: number,
    piece: PollReading['piece'],
  ): Promise<EventPage> {
    let page = await piece(() => this.#readPage(viewer, after, limit))
    for (let pages = 1; page.events.length === 0 && !page.isEnd && pages < pagesPerLook; pages += 1) {
      const { upTo } = page
      page = await piece(() => this.#readPage(viewer, upTo, limit))
    }
    return page
  }

  /** A page of the log, with the long messages that ended in it. */
  async #readPage(viewer: Viewer, after: LogPosition, limit: number): Promise<EventPage> {
    const ownerId = ownerScope(viewer)
    const log = await readLog(this.#db, after, { recordsMax: limit, ownerId })
    const { ends, isEnd } = await readEnds(this.#db, { after, upTo: log.upTo, ownerId, limit })
    // More ends may follow before the end of the page: it ends with the last one.
    const upTo = isEnd ? log.upTo : (ends.at(-1)?.position ?? after)
    const events = [...log.events, ...ends].filter(({ position }) => comparePositions(position, upTo) <= 0)
    return {
      events: events.toSorted((a, b) => comparePositions(a.position, b.position)),
      upTo,
      isEnd: log.isEnd && isEnd,
    }
  }

  async #show(
    viewer: Viewer,
    { events, upTo }: EventPage,
    contents: ReadEventContents | undefined,
  ): Promise<PolledEvents> {
    const records = events.flatMap((event) => ('record' in event ? [event.record] : []))
    const names = await readNames(this.#db, records)
    const segments = events.flatMap((event) => ('record' in event ? [] : segmentsOf(event.message)))
    const carried = await contents?.([...records, ...segments])
    return {
      events: events.map((event) => {
        const id = formatPosition(event.position)
        if (!('record' in event))
          return { id, type: 'message-completed', message: viewEnd(event.message, carried) }
        const { record, position } = event
        return {
          id,
          type: position.kind === 0 ? 'record' : 'record-updated',
          record: {
            ...viewRecord(record, names, viewer),
            ...(carried && contentFields(carried.get(Number(record.id)))),
          },
        }
      }),
      cursor: formatPosition(upTo),
    }
  }
}

interface EventPage {
  readonly events: readonly (LogEvent | EndOfMessage)[]
  readonly upTo: LogPosition
  readonly isEnd: boolean
}

function tooManyWait(): Refusal {
  return new Refusal('too_many', 'Too many calls wait for events. Poll without waiting, or try again.', {
    retryAfterSeconds: 10,
  })
}

/** The segments of a message that came, as far as reading their contents needs. */
const segmentsOf = ({ recordIds, createdAtsMs, clientId }: LongMessage) =>
  recordIds.flatMap((recordId, index) =>
    recordId === null
      ? []
      : [{ id: String(recordId), client_id: clientId, created_at: new Date(createdAtsMs[index] ?? 0) }],
  )

function viewEnd(message: LongMessage, carried: ReadonlyMap<number, MessageContents> | undefined) {
  const view = {
    ...viewLongMessage(message),
    messageId: partIdsOf(message)[0] ?? '',
    reference: message.reference,
  }
  if (carried === undefined) return view
  const bodies = new Map(
    [...carried].map(([id, { raw }]) => [id, { ...raw, body: Buffer.from(raw.octets, 'hex') }]),
  )
  const { text, parts } = joinBodies(message.recordIds, bodies)
  return { ...view, text: parts === 0 ? null : text }
}
