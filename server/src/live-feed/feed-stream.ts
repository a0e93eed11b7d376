// The stream of one reader. It reads from the ring while it keeps up, and from the log when it has fallen behind. So a
// slow reader costs reads and no memory, and no event is skipped or sent twice.
import { Readable } from 'node:stream'
import type { Db } from '../platform/db.ts'
import { readNames, comparePositions, formatPosition, type LogPosition, readLog } from '../ingest/index.ts'
import { ownerScope, type Viewer } from '../records/index.ts'
import { contentFields, type ReadEventContents } from './event-contents.ts'
import { isInAudience, writeEvent, type StateEvent } from './state-events.ts'
import { FeedEvent, type Ring } from './ring.ts'

const eventsAtOnce = 200
/** A turn of reading the log. Ten readers far behind are felt by the messages with 200 (decision 38). */
export const logRecordsAtOnce = 50
// Events of states; the oldest are dropped, since newer ones replace them.
const stateEventsMax = 200
const bufferBytes = 131_072
/** How long a browser waits before it connects again. */
const retryMs = 2_000

/** How a reader reads what the ring does not hold. */
export interface FeedReading {
  /** Set for a reader who asked for texts. */
  readonly contents?: ReadEventContents | undefined
  /** Does a read of the log in its turn; at once by default. */
  readonly piece?: <T>(work: () => Promise<T>) => Promise<T>
}

export interface StreamOptions extends FeedReading {
  readonly db: Db
  readonly viewer: Viewer
  readonly start: LogPosition
  readonly ring: () => Ring
}

interface NextEvents {
  readonly text: string
  /** The reader has everything up to here when the text is sent. */
  readonly upTo: LogPosition
}

export class FeedStream extends Readable {
  readonly viewer: Viewer
  readonly #options: StreamOptions
  #position: LogPosition
  #stateEvents: string[] = []
  #isRequested = false
  #isRunning = false
  #isOpened = false

  constructor(options: StreamOptions) {
    super({ highWaterMark: bufferBytes })
    this.#options = options
    this.viewer = options.viewer
    this.#position = options.start
  }

  override _read(): void {
    this.#isRequested = true
    this.wake()
  }

  /** Call it when there may be new events. What waits is sent at once, though a read of the log may wait for its turn. */
  wake(): void {
    this.#write(() => this.#opening() + this.#waitingStateEvents())
    if (!this.#isRequested || this.#isRunning || this.destroyed) return
    this.#isRunning = true
    this.#run()
      .catch((error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#isRunning = false
      })
  }

  /** Adds an event of a state, if this viewer may see it. The oldest are dropped when the reader is too slow. */
  send(event: StateEvent, json: string): void {
    if (!isInAudience(event.audience, this.viewer)) return
    this.#stateEvents.push(writeEvent(event.kind, json))
    if (this.#stateEvents.length > stateEventsMax) this.#stateEvents.shift()
    this.wake()
  }

  /** Sends a heartbeat. Its id moves the reader's position on, so that a reconnect need not read the whole log again. */
  beat(): void {
    this.wake()
    this.#write(() => `: heartbeat\n${writeEvent('heartbeat', '{}', formatPosition(this.#position))}`)
  }

  /** Sends a text, unless the reader is too slow: then it is not even made. */
  #write(make: () => string): void {
    if (!this.#isRequested || this.destroyed) return
    const text = make()
    if (text !== '') this.#isRequested = this.push(text)
  }

  async #run(): Promise<void> {
    while (this.#isRequested && !this.destroyed) {
      const { text, upTo } = await this.#nextEvents()
      if (this.destroyed) return
      // Together with the text: a heartbeat names only events that have been sent.
      this.#position = upTo
      if (text !== '') this.#isRequested = this.push(text)
      else if (comparePositions(upTo, this.#options.ring().end) >= 0) return
    }
  }

  /** The start of the stream. An id without data is no event, but it gives the reader its log position. */
  #opening(): string {
    if (this.#isOpened) return ''
    this.#isOpened = true
    return `retry: ${retryMs}\nid: ${formatPosition(this.#position)}\n\n`
  }

  #waitingStateEvents(): string {
    const text = this.#stateEvents.join('')
    this.#stateEvents = []
    return text
  }

  async #nextEvents(): Promise<NextEvents> {
    const { ring: ringNow, piece = (read) => read() } = this.#options
    const ring = ringNow()
    if (!ring.covers(this.#position)) return piece(() => this.#readLog())
    const events = ring.after(this.#position, eventsAtOnce)
    const { position: upTo = ring.end } = (events.length === eventsAtOnce && events.at(-1)) || {}
    const text = await this.#textOf(events)
    return { text, upTo: comparePositions(upTo, this.#position) > 0 ? upTo : this.#position }
  }

  async #readLog(): Promise<NextEvents> {
    const { db } = this.#options
    const page = await readLog(db, this.#position, {
      recordsMax: logRecordsAtOnce,
      ownerId: ownerScope(this.viewer),
    })
    const names = await readNames(
      db,
      page.events.map(({ record }) => record),
    )
    const text = await this.#textOf(page.events.map((event) => new FeedEvent(event, names)))
    return { text, upTo: page.upTo }
  }

  async #textOf(events: readonly FeedEvent[]): Promise<string> {
    const { viewer } = this
    const contents = await this.#options.contents?.(events.map(({ record }) => record))
    const textOf = (event: FeedEvent) =>
      contents === undefined
        ? event.textFor(viewer)
        : event.textWith(viewer, contentFields(contents.get(Number(event.record.id))))
    let text = ''
    for (const event of events) text += textOf(event) ?? ''
    return text
  }
}
