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
import { logRecordsAtOnce } from './feed-stream.ts'

// Each waiting caller costs one query of the log's end in each of these intervals.
const lookEveryMs = 1_000
// A program needs one; more would take the calls that its person may make at the same time.
const waiterLimits = { runningMaxOfKey: 3, runningMax: 200, waitingMaxOfKey: 0 }
// A program that was away for months reads on with its next calls.
const piecesPerLook = 40

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
    const reader = { viewer, limit, contents }
    const page = await this.#read(reader, after, reading.piece)
    const found =
      page.events.length > 0 || waitSeconds === 0
        ? page
        : await this.#wait(reader, page, { waitSeconds, ...reading })
    return { events: found.events, cursor: formatPosition(found.upTo) }
  }

  /** Looks again and again until there are events or the time is over. */
  async #wait(
    reader: Reader,
    start: EventPage,
    { waitSeconds, signal, piece }: { readonly waitSeconds: number } & PollReading,
  ): Promise<EventPage> {
    const leave = await this.#waiters.enter({ key: String(reader.viewer.userId) })
    let page = start
    try {
      const endMs = performance.now() + waitSeconds * 1_000
      for (let leftMs = waitSeconds * 1_000; page.events.length === 0 && leftMs > 0;) {
        await sleep(Math.min(lookEveryMs, leftMs), undefined, { signal })
        // What came within the last second is little, and is not kept waiting.
        const read: PollReading['piece'] = page.isEnd ? (work) => work() : piece
        page = await this.#read(reader, page.upTo, read)
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

  /**
   * About as many events as the reader wants, in pieces: a page of 500 at once is felt by the messages. Reads past the
   * records of others, within a limit of pieces; the next call continues there.
   */
  async #read(reader: Reader, after: LogPosition, piece: PollReading['piece']): Promise<EventPage> {
    const recordsMax = Math.min(reader.limit, logRecordsAtOnce)
    const events: PolledEvents['events'] = []
    let [upTo, isEnd] = [after, false]
    for (let pieces = 0; pieces < piecesPerLook; pieces += 1) {
      const from = upTo
      const found = await piece(() => this.#readPiece(reader, from, recordsMax))
      events.push(...found.events)
      ;({ upTo, isEnd } = found)
      if (isEnd || events.length + recordsMax > reader.limit) break
    }
    return { events, upTo, isEnd }
  }

  /** Some records of the log, with the long messages that ended between them. */
  async #readPiece({ viewer, contents }: Reader, after: LogPosition, recordsMax: number): Promise<EventPage> {
    const ownerId = ownerScope(viewer)
    const log = await readLog(this.#db, after, { recordsMax, ownerId })
    const { ends, isEnd } = await readEnds(this.#db, { after, upTo: log.upTo, ownerId, limit: recordsMax })
    // More ends may follow before the end of the piece: it ends with the last one.
    const upTo = isEnd ? log.upTo : (ends.at(-1)?.position ?? after)
    const events = [...log.events, ...ends]
      .filter(({ position }) => comparePositions(position, upTo) <= 0)
      .toSorted((a, b) => comparePositions(a.position, b.position))
    return { events: await this.#show(viewer, events, contents), upTo, isEnd: log.isEnd && isEnd }
  }

  async #show(
    viewer: Viewer,
    events: readonly (LogEvent | EndOfMessage)[],
    contents: ReadEventContents | undefined,
  ): Promise<PolledEvents['events']> {
    const records = events.flatMap((event) => ('record' in event ? [event.record] : []))
    const names = await readNames(this.#db, records)
    const segments = events.flatMap((event) => ('record' in event ? [] : segmentsOf(event.message)))
    const carried = await contents?.([...records, ...segments])
    return events.map((event) => {
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
    })
  }
}

/** Who reads, and what of each event. */
interface Reader extends Pick<PollQuery, 'limit' | 'contents'> {
  readonly viewer: Viewer
}

interface EventPage {
  readonly events: PolledEvents['events']
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
