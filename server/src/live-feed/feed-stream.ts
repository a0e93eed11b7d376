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
const logRecordsAtOnce = 1_000
// Events of states; the oldest are dropped, since newer ones replace them.
const stateEventsMax = 200
const bufferBytes = 131_072
/** How long a browser waits before it connects again. */
const retryMs = 2_000

export interface StreamOptions {
  readonly db: Db
  readonly viewer: Viewer
  readonly start: LogPosition
  readonly ring: () => Ring
  /** Set for a reader who asked for texts. */
  readonly contents?: ReadEventContents | undefined
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

  /** Call it when there may be new events. */
  wake(): void {
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
    if (this.#stateEvents.length > 0) return
    this.#stateEvents.push(`: heartbeat\n${writeEvent('heartbeat', '{}', formatPosition(this.#position))}`)
    this.wake()
  }

  async #run(): Promise<void> {
    while (this.#isRequested && !this.destroyed) {
      const text = this.#opening() + this.#waitingStateEvents() + (await this.#nextEvents())
      if (this.destroyed) return
      if (text !== '') this.#isRequested = this.push(text)
      else if (this.#isAtEnd()) return
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

  #isAtEnd(): boolean {
    return this.#stateEvents.length === 0 && comparePositions(this.#position, this.#options.ring().end) >= 0
  }

  async #nextEvents(): Promise<string> {
    const ring = this.#options.ring()
    if (!ring.covers(this.#position)) return this.#readLog()
    const events = ring.after(this.#position, eventsAtOnce)
    const last = events.at(-1)
    if (events.length === eventsAtOnce && last !== undefined) this.#position = last.position
    else if (comparePositions(ring.end, this.#position) > 0) this.#position = ring.end
    return this.#textOf(events)
  }

  async #readLog(): Promise<string> {
    const { db } = this.#options
    const page = await readLog(db, this.#position, {
      recordsMax: logRecordsAtOnce,
      ownerId: ownerScope(this.viewer),
    })
    const names = await readNames(
      db,
      page.events.map(({ record }) => record),
    )
    this.#position = page.upTo
    return this.#textOf(page.events.map((event) => new FeedEvent(event, names)))
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
