// The live feed of one node: one tailer follows the log while there are readers, and serves all of them. Without readers
// it does nothing.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../../platform/db.ts'
import { readNames } from '../query/names.ts'
import type { Viewer } from '../read/viewer.ts'
import { isInAudience, type StateEvent } from './state-events.ts'
import { FeedStream } from './feed-stream.ts'
import type { LogPosition } from '../log/log-position.ts'
import { logEnd, readLog } from '../log/read-log.ts'
import { FeedEvent, Ring } from './ring.ts'

// An event is shown within a second of its commit, even after a slow read.
const pollMs = 200
const recordsAtOnce = 1_000
// Under overload the feed falls behind, so that it takes at most a tenth of a core from ingest.
const readsPerPoll = 4
const ringEvents = 4_000
const heartbeatMs = 15_000
// When a session has ended or lost its role, its stream is closed within 5 s.
const recheckMs = 2_000
// A browser window has a stream while it is visible, so ten are enough. The eleventh is refused. Closing the oldest instead
// would make its window reconnect and close the next one. Each stream costs memory and checks of its session, so their
// total is limited, too.
const streamsPerPerson = 10
const streamsInAll = 1_000

export interface LiveFeedOptions<A extends Viewer> {
  readonly db: Db
  /** The reader's user and role now; undefined when the session has ended. When they change, the stream is closed. */
  readonly currentActor: (actor: A) => Promise<Viewer | undefined>
  readonly onFault: (error: Error) => void
  /** Fewer in tests. */
  readonly streamsInAll?: number | undefined
}

export class LiveFeed<A extends Viewer> {
  readonly #options: LiveFeedOptions<A>
  readonly #readers = new Map<FeedStream, A>()
  /** The readers whose streams are being opened. */
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
   * Opens a stream for `actor`, after `position` or from now on. It ends when it is destroyed. Throws Refusal too_many
   * when this person has too many streams, or all persons together.
   */
  async open(actor: A, position: LogPosition | undefined): Promise<FeedStream> {
    this.#refuseTooMany(actor)
    this.#opening.push(actor)
    try {
      return await this.#open(actor, position)
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

  async #open(actor: A, position: LogPosition | undefined): Promise<FeedStream> {
    let ring = await this.#ready()
    // The last reader may have left meanwhile, which stops the tailer.
    while (ring !== this.#ring) ring = await this.#ready()
    const firstRing = ring
    const stream = new FeedStream({
      db: this.#options.db,
      viewer: actor,
      start: position ?? ring.end,
      ring: () => this.#ring ?? firstRing,
    })
    this.#readers.set(stream, actor)
    stream.once('close', () => this.#remove(stream))
    // `close` follows. Without a listener an error of the stream would end the process.
    stream.on('error', this.#options.onFault)
    return stream
  }

  /** Sends the event of a state to this node's readers. */
  send(event: StateEvent): void {
    const json = JSON.stringify(event.payload)
    for (const stream of this.#readers.keys())
      if (isInAudience(event.audience, stream.viewer)) stream.send(event, json)
  }

  /** Ends all streams. */
  stop(): void {
    for (const stream of this.#readers.keys()) stream.destroy()
    this.#pause()
  }

  /** The ring; if there were no readers, a new one that begins at the log's end. */
  async #ready(): Promise<Ring> {
    if (this.#ring !== undefined) return this.#ring
    this.#starting ??= this.#startRing().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #startRing(): Promise<Ring> {
    const ring = new Ring(await logEnd(this.#options.db), ringEvents)
    this.#ring = ring
    this.#timers = [
      setInterval(() => void this.#poll(), pollMs),
      setInterval(() => this.#beat(), heartbeatMs),
      setInterval(() => void this.#recheck(), recheckMs),
    ]
    return ring
  }

  #remove(stream: FeedStream): void {
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
      // The database is away or slow: the next poll goes on from the same position.
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
    } finally {
      this.#isPolling = false
    }
  }

  /** Reads the next page; gives whether it reached the log's end. */
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
          // It is unknown now whether the session is still valid; the next check is in two seconds.
          this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
        }
      }),
    )
  }
}
