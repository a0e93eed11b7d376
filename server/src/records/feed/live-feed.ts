// The live feed of one node: one tailer reads the log while anybody listens, and every reader is served from it. With
// no reader it does nothing at all.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../../platform/db.ts'
import { readNames } from '../read/names.ts'
import type { Viewer } from '../read/viewer.ts'
import { isAudience, type News } from './audience.ts'
import { FeedStream } from './feed-stream.ts'
import type { LogPlace } from './place.ts'
import { logEnd, readLog } from './read-log.ts'
import { FeedEvent, Ring } from './ring.ts'

// Live within a second of the commit, with room for a slow read.
const pollMs = 200
const recordsAtOnce = 1_000
// Under a flood the feed falls behind rather than take more than a tenth of a core from ingest.
const readsPerPoll = 4
const ringEvents = 4_000
const heartbeatMs = 15_000
// A session that ended or lost its role loses the stream within 5 s.
const recheckMs = 2_000
// A window has one while it is seen, so ten are many screens at work. The new one is refused, not the oldest: that would
// come again at once and put out the next. Each costs memory and a look at its session, so they are limited in all, too.
const streamsPerPerson = 10
const streamsInAll = 1_000

export interface LiveFeedOptions<A extends Viewer> {
  readonly db: Db
  /** Who the reader is now; undefined when the session has ended. A reader who is no longer the same loses the stream. */
  readonly currentActor: (actor: A) => Promise<Viewer | undefined>
  readonly onFault: (error: Error) => void
  /** Fewer in tests. */
  readonly streamsInAll?: number | undefined
}

export class LiveFeed<A extends Viewer> {
  readonly #options: LiveFeedOptions<A>
  readonly #readers = new Map<FeedStream, A>()
  /** Whose streams are being opened. */
  readonly #opening: A[] = []
  #ring: Ring | undefined
  #starting: Promise<Ring> | undefined
  #timers: NodeJS.Timeout[] = []
  #isPolling = false

  constructor(options: LiveFeedOptions<A>) {
    this.#options = options
  }

  /** How many streams are open. */
  get readerCount(): number {
    return this.#readers.size
  }

  /**
   * Opens a stream for `actor`, after `place` or from now on. It ends when destroyed. Throws Refusal too_many when the
   * person, or everybody together, has too many.
   */
  async open(actor: A, place: LogPlace | undefined): Promise<FeedStream> {
    this.#refuseTooMany(actor)
    this.#opening.push(actor)
    try {
      return await this.#open(actor, place)
    } finally {
      this.#opening.splice(this.#opening.indexOf(actor), 1)
    }
  }

  #refuseTooMany({ userId }: A): void {
    const all = [...this.#readers.values(), ...this.#opening]
    const isFull = all.length >= (this.#options.streamsInAll ?? streamsInAll)
    if (isFull || all.filter((other) => other.userId === userId).length >= streamsPerPerson)
      throw new Refusal(
        'too_many',
        isFull
          ? 'Too many live feeds are open. Try again in a minute.'
          : `You have ${streamsPerPerson} live feeds open. Close a window and try again.`,
        { retryAfterSeconds: isFull ? 60 : 30 },
      )
  }

  async #open(actor: A, place: LogPlace | undefined): Promise<FeedStream> {
    let ring = await this.#ready()
    // The last reader may have left meanwhile, and the tailer with it.
    while (ring !== this.#ring) ring = await this.#ready()
    const begun = ring
    const stream = new FeedStream({
      db: this.#options.db,
      viewer: actor,
      start: place ?? ring.end,
      ring: () => this.#ring ?? begun,
    })
    this.#readers.set(stream, actor)
    stream.once('close', () => this.#leave(stream))
    // Told by `close`; without a listener a reader's fault would end the process.
    stream.on('error', this.#options.onFault)
    return stream
  }

  /** Tells this node's readers. */
  tell(news: News): void {
    const json = JSON.stringify(news.payload)
    for (const stream of this.#readers.keys())
      if (isAudience(news.audience, stream.viewer)) stream.tell(news, json)
  }

  /** Ends all streams. */
  stop(): void {
    for (const stream of this.#readers.keys()) stream.destroy()
    this.#pause()
  }

  /** The ring, begun at the log's present end when nobody was listening. */
  async #ready(): Promise<Ring> {
    if (this.#ring !== undefined) return this.#ring
    this.#starting ??= this.#begin().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #begin(): Promise<Ring> {
    const ring = new Ring(await logEnd(this.#options.db), ringEvents)
    this.#ring = ring
    this.#timers = [
      setInterval(() => void this.#poll(), pollMs),
      setInterval(() => this.#beat(), heartbeatMs),
      setInterval(() => void this.#recheck(), recheckMs),
    ]
    return ring
  }

  #leave(stream: FeedStream): void {
    this.#readers.delete(stream)
    if (this.#readers.size === 0) this.#pause()
  }

  #pause(): void {
    for (const timer of this.#timers) clearInterval(timer)
    this.#timers = []
    this.#ring = undefined
  }

  async #poll(): Promise<void> {
    if (this.#isPolling) return
    this.#isPolling = true
    try {
      for (let reads = 0; reads < readsPerPoll && this.#ring !== undefined; reads += 1)
        if (await this.#advance(this.#ring)) break
    } catch (error) {
      // The database is away or slow: the next poll goes on from the same place.
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#isPolling = false
    }
  }

  /** Reads on; gives whether it came to the log's end. */
  async #advance(ring: Ring): Promise<boolean> {
    const { db } = this.#options
    const page = await readLog(db, ring.end, { recordsMax: recordsAtOnce })
    const names = await readNames(
      db,
      page.events.map(({ record }) => record),
    )
    ring.append(
      page.events.map((event) => new FeedEvent(event, names)),
      page.upTo,
    )
    for (const stream of this.#readers.keys()) stream.wake()
    return page.isEnd
  }

  #beat(): void {
    for (const stream of this.#readers.keys()) stream.beat()
  }

  async #recheck(): Promise<void> {
    await Promise.all(
      [...this.#readers].map(async ([stream, actor]) => {
        try {
          const now = await this.#options.currentActor(actor)
          if (now?.userId !== actor.userId || now.role !== actor.role) stream.destroy()
        } catch (error) {
          // Whether the session still holds cannot be known now; the next check is two seconds away.
          this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
        }
      }),
    )
  }
}
