// One reader's stream. It pulls: from the ring while it keeps up, from the log itself when it has fallen behind, so a
// slow reader costs its own reads and no memory, and nothing is skipped or sent twice.
import { Readable } from 'node:stream'
import type { Db } from '../../platform/db.ts'
import { readNames } from '../read/names.ts'
import { ownerScope, type Viewer } from '../read/viewer.ts'
import { isAudience, writeEvent, type News } from './audience.ts'
import { comparePlaces, writePlace, type LogPlace } from './place.ts'
import { readLog } from './read-log.ts'
import { FeedEvent, type Ring } from './ring.ts'

const eventsAtOnce = 200
const logRecordsAtOnce = 1_000
// News of states: older ones are overtaken by newer ones anyway.
const newsMost = 200
const bufferBytes = 131_072
/** What a browser waits before it connects again. */
const retryMs = 2_000

export interface StreamOptions {
  readonly db: Db
  readonly viewer: Viewer
  readonly start: LogPlace
  readonly ring: () => Ring
}

export class FeedStream extends Readable {
  readonly viewer: Viewer
  readonly #options: StreamOptions
  #place: LogPlace
  #news: string[] = []
  #isWanted = false
  #isRunning = false
  #isGreeted = false

  constructor(options: StreamOptions) {
    super({ highWaterMark: bufferBytes })
    this.#options = options
    this.viewer = options.viewer
    this.#place = options.start
  }

  override _read(): void {
    this.#isWanted = true
    this.wake()
  }

  /** There may be something new. */
  wake(): void {
    if (!this.#isWanted || this.#isRunning || this.destroyed) return
    this.#isRunning = true
    this.#run()
      .catch((error: unknown) => this.destroy(error instanceof Error ? error : new Error(String(error))))
      .finally(() => {
        this.#isRunning = false
      })
  }

  /** Adds news for this viewer; the oldest go when the reader takes none. */
  tell(news: News, json: string): void {
    if (!isAudience(news.audience, this.viewer)) return
    this.#news.push(writeEvent(news.kind, json))
    if (this.#news.length > newsMost) this.#news.shift()
    this.wake()
  }

  /** A sign of life. Its id moves the reader's place on, so that a quiet one need not read the whole log again. */
  beat(): void {
    if (this.#news.length > 0) return
    this.#news.push(`: heartbeat\n${writeEvent('heartbeat', '{}', writePlace(this.#place))}`)
    this.wake()
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.destroyed) {
      const text = this.#opening() + this.#waitingNews() + (await this.#nextEvents())
      if (this.destroyed) return
      if (text !== '') this.#isWanted = this.push(text)
      else if (this.#isAtEnd()) return
    }
  }

  /** The first words: an id without data is no event, but from then on the reader knows where it stands. */
  #opening(): string {
    if (this.#isGreeted) return ''
    this.#isGreeted = true
    return `retry: ${retryMs}\nid: ${writePlace(this.#place)}\n\n`
  }

  #waitingNews(): string {
    const text = this.#news.join('')
    this.#news = []
    return text
  }

  #isAtEnd(): boolean {
    return this.#news.length === 0 && comparePlaces(this.#place, this.#options.ring().end) >= 0
  }

  async #nextEvents(): Promise<string> {
    const ring = this.#options.ring()
    if (!ring.covers(this.#place)) return this.#readLog()
    const events = ring.after(this.#place, eventsAtOnce)
    const last = events.at(-1)
    if (events.length === eventsAtOnce && last !== undefined) this.#place = last.place
    else if (comparePlaces(ring.end, this.#place) > 0) this.#place = ring.end
    return this.#textOf(events)
  }

  async #readLog(): Promise<string> {
    const { db } = this.#options
    const page = await readLog(db, this.#place, {
      recordsMax: logRecordsAtOnce,
      ownerId: ownerScope(this.viewer),
    })
    const names = await readNames(
      db,
      page.events.map(({ record }) => record),
    )
    this.#place = page.upTo
    return this.#textOf(page.events.map((event) => new FeedEvent(event, names)))
  }

  #textOf(events: readonly FeedEvent[]): string {
    let text = ''
    for (const event of events) text += event.textFor(this.viewer) ?? ''
    return text
  }
}
