// The newest events of the log in memory, so that many readers cost one read of the database.
import { viewRecord, isStaff, seesMasked, type Viewer } from '../records/index.ts'
import {
  type RecordNames,
  type RecordRow,
  comparePositions,
  formatPosition,
  type LogPosition,
  type LogEvent,
} from '../ingest/index.ts'
import { writeEvent } from './state-events.ts'

/** An event with its text for each kind of viewer. Each text is made once for all readers. */
export class FeedEvent {
  readonly position: LogPosition
  readonly #event: LogEvent
  readonly #names: RecordNames
  readonly #texts = new Map<string, string>()

  constructor(event: LogEvent, names: RecordNames) {
    this.position = event.position
    this.#event = event
    this.#names = names
  }

  get record(): RecordRow {
    return this.#event.record
  }

  /** The text of the stream for this viewer; undefined when the record is somebody else's. */
  textFor(viewer: Viewer): string | undefined {
    if (!this.#isFor(viewer)) return undefined
    const view = isStaff(viewer) ? 'staff' : seesMasked(viewer) ? 'masked' : 'owner'
    let text = this.#texts.get(view)
    if (text === undefined) {
      text = this.#write(viewRecord(this.record, this.#names, viewer))
      this.#texts.set(view, text)
    }
    return text
  }

  /** The same with these fields beside the record's, for one reader alone. */
  textWith(viewer: Viewer, fields: object): string | undefined {
    if (!this.#isFor(viewer)) return undefined
    return this.#write({ ...viewRecord(this.record, this.#names, viewer), ...fields })
  }

  #isFor(viewer: Viewer): boolean {
    return isStaff(viewer) || (this.record.client_id === viewer.userId && !this.#event.isForStaff)
  }

  #write(record: object): string {
    const { position } = this
    const kind = position.kind === 0 ? 'record' : 'record-updated'
    return writeEvent(kind, JSON.stringify(record), formatPosition(position))
  }
}

export class Ring {
  readonly #capacity: number
  #events: FeedEvent[] = []
  /** The ring has everything after `from` up to `end`. */
  #from: LogPosition
  #end: LogPosition

  constructor(start: LogPosition, capacity: number) {
    this.#capacity = capacity
    this.#from = start
    this.#end = start
  }

  get end(): LogPosition {
    return this.#end
  }

  append(events: readonly FeedEvent[], upTo: LogPosition): void {
    this.#events.push(...events)
    this.#end = upTo
    const excess = this.#events.length - this.#capacity
    if (excess <= 0) return
    const dropped = this.#events.splice(0, excess).at(-1)
    if (dropped !== undefined) this.#from = dropped.position
  }

  /** Whether the ring has everything after `position`. */
  covers(position: LogPosition): boolean {
    return comparePositions(position, this.#from) >= 0
  }

  /** Up to `count` events after `position`. */
  after(position: LogPosition, count: number): FeedEvent[] {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >> 1
      const event = this.#events[middle]
      if (event !== undefined && comparePositions(event.position, position) <= 0) low = middle + 1
      else high = middle
    }
    return this.#events.slice(low, low + count)
  }
}
