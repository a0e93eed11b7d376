// The newest events of the log in memory, so that many readers cost one read of the database.
import { viewRecord } from '../read/record-view.ts'
import type { Names } from '../read/names.ts'
import { isStaff, seesMasked, type Viewer } from '../read/viewer.ts'
import { writeEvent } from './audience.ts'
import { comparePlaces, writePlace, type LogPlace } from './place.ts'
import type { LogEvent } from './read-log.ts'

/** An event that knows how each kind of viewer sees it; each view is made once, however many read it. */
export class FeedEvent {
  readonly place: LogPlace
  readonly #event: LogEvent
  readonly #names: Names
  readonly #texts = new Map<string, string>()

  constructor(event: LogEvent, names: Names) {
    this.place = event.place
    this.#event = event
    this.#names = names
  }

  /** The stream's text for this viewer; undefined when the record is somebody else's. */
  textFor(viewer: Viewer): string | undefined {
    const { record, place } = this.#event
    if (!isStaff(viewer) && record.client_id !== viewer.userId) return undefined
    const eyes = isStaff(viewer) ? 'staff' : seesMasked(viewer) ? 'masked' : 'owner'
    let text = this.#texts.get(eyes)
    if (text === undefined) {
      const kind = place.kind === 0 ? 'record' : 'record-updated'
      text = writeEvent(kind, JSON.stringify(viewRecord(record, this.#names, viewer)), writePlace(place))
      this.#texts.set(eyes, text)
    }
    return text
  }
}

export class Ring {
  readonly #capacity: number
  #events: FeedEvent[] = []
  /** Everything after `from` up to `end` is here. */
  #from: LogPlace
  #end: LogPlace

  constructor(start: LogPlace, capacity: number) {
    this.#capacity = capacity
    this.#from = start
    this.#end = start
  }

  get end(): LogPlace {
    return this.#end
  }

  append(events: readonly FeedEvent[], upTo: LogPlace): void {
    this.#events.push(...events)
    this.#end = upTo
    const excess = this.#events.length - this.#capacity
    if (excess <= 0) return
    const dropped = this.#events.splice(0, excess).at(-1)
    if (dropped !== undefined) this.#from = dropped.place
  }

  /** Whether a reader at `place` finds all that follows here. */
  covers(place: LogPlace): boolean {
    return comparePlaces(place, this.#from) >= 0
  }

  /** Up to `count` events after `place`. */
  after(place: LogPlace, count: number): FeedEvent[] {
    let low = 0
    let high = this.#events.length
    while (low < high) {
      const middle = (low + high) >> 1
      const event = this.#events[middle]
      if (event !== undefined && comparePlaces(event.place, place) <= 0) low = middle + 1
      else high = middle
    }
    return this.#events.slice(low, low + count)
  }
}
