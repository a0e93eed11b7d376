// The live feed of one node: one follower reads the log while there are readers, and serves all of them. Without readers
// it does nothing.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import { FairQueue, type NoTurn } from '../platform/load/fair-queue.ts'
import { Recurring } from '../platform/work/recurring.ts'
import {
  readNames,
  EventFollower,
  follow,
  progressFrom,
  type FollowStep,
  type LogPosition,
  logEnd,
} from '../ingest/index.ts'
import type { Viewer } from '../records/index.ts'
import { isInAudience, type StateEvent } from './state-events.ts'
import { FeedStream, type FeedReading } from './feed-stream.ts'
import { FeedEvent, Ring } from './ring.ts'

// An event is shown within a second of its commit, even after a slow read.
const pollMs = 200
const recordsAtOnce = 1_000
// Under overload the feed falls behind, so that it takes at most a tenth of a core from ingest.
const readsPerPoll = 4
const ringEvents = 4_000
const heartbeatMs = 5_000
// When a session has ended or lost its role, its stream is closed within 5 s.
const recheckMs = 2_000
// A browser window has a stream while it is visible, so ten are enough. The eleventh is refused. Closing the oldest instead
// would make its window reconnect and close the next one. Each stream costs memory and checks of its session, so their
// total is limited, too.
const limits = { runningMaxOfKey: 10, waitingMaxOfKey: 0, totalMax: 1_000 }

export interface LiveFeedOptions<A extends Viewer> {
  readonly db: Db
  /** For what readers read from the log; `db` by default. */
  readonly heavyDb?: Db | undefined
  /** The reader's user and role now; undefined when the session has ended. When they change, the stream is closed. */
  readonly currentActor: (actor: A) => Promise<Viewer | undefined>
  readonly onFault: (error: Error) => void
  /** Fewer in tests. */
  readonly streamsInAll?: number | undefined
}

/** What one follower has read since there are readers. */
interface Tail {
  readonly ring: Ring
  readonly follower: EventFollower
}

export class LiveFeed<A extends Viewer> {
  readonly #options: LiveFeedOptions<A>
  readonly #recurring: readonly { readonly work: Recurring; readonly firstAfterMs: number }[]
  readonly #readers = new Map<FeedStream, A>()
  /** The open streams, and those that are being opened. */
  readonly #streams: FairQueue
  #tail: Tail | undefined
  #starting: Promise<Tail> | undefined

  constructor(options: LiveFeedOptions<A>) {
    this.#options = options
    this.#streams = new FairQueue({ ...limits, totalMax: options.streamsInAll ?? limits.totalMax }, tooMany)
    const onFault = (error: unknown) =>
      options.onFault(error instanceof Error ? error : new Error(String(error)))
    this.#recurring = [
      { work: follow(() => this.#poll(), { onFault }), firstAfterMs: pollMs },
      {
        work: new Recurring({ run: async () => this.#beat(), everyMs: heartbeatMs, onFault }),
        firstAfterMs: heartbeatMs,
      },
      {
        work: new Recurring({ run: () => this.#recheck(), everyMs: recheckMs, onFault }),
        firstAfterMs: recheckMs,
      },
    ]
  }

  /** How many streams are open. */
  get readerCount(): number {
    return this.#readers.size
  }

  /**
   * Opens a stream for `actor`, after `position` or from now on. It ends when it is destroyed. Throws Refusal too_many when
   * this person has too many streams, or all persons together.
   */
  async open(actor: A, position: LogPosition | undefined, reading: FeedReading = {}): Promise<FeedStream> {
    const leave = await this.#streams.enter({ key: String(actor.userId) })
    try {
      const stream = await this.#open(actor, position, reading)
      return stream.once('close', leave)
    } catch (error) {
      leave()
      throw error
    }
  }

  async #open(actor: A, position: LogPosition | undefined, reading: FeedReading): Promise<FeedStream> {
    let tail = await this.#ready()
    // The last reader may have left meanwhile, which stops the follower.
    while (tail !== this.#tail) tail = await this.#ready()
    const { ring } = tail
    const stream = new FeedStream({
      ...reading,
      db: this.#options.heavyDb ?? this.#options.db,
      viewer: actor,
      start: position ?? ring.end,
      ring: () => this.#tail?.ring ?? ring,
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

  /** If there were no readers, a new tail that begins at the log's end. */
  async #ready(): Promise<Tail> {
    if (this.#tail !== undefined) return this.#tail
    this.#starting ??= this.#startTail().finally(() => {
      this.#starting = undefined
    })
    return this.#starting
  }

  async #startTail(): Promise<Tail> {
    const { db } = this.#options
    const end = await logEnd(db)
    this.#tail = {
      ring: new Ring(end, ringEvents),
      follower: new EventFollower(db, progressFrom(db, end), recordsAtOnce),
    }
    for (const { work, firstAfterMs } of this.#recurring) work.start(firstAfterMs)
    return this.#tail
  }

  #remove(stream: FeedStream): void {
    this.#readers.delete(stream)
    if (this.#readers.size === 0) this.#pause()
  }

  #pause(): void {
    this.#tail = undefined
    // A run that is not over yet finds no tail and no readers.
    for (const { work } of this.#recurring) void work.stop()
  }

  /** Reads a few pages, from one poll every 200 ms. After a fault the next poll goes on from the same position. */
  async #poll(): Promise<FollowStep> {
    const startedMs = performance.now()
    let hadWork = false
    for (let reads = 0; reads < readsPerPoll && this.#tail !== undefined; reads += 1) {
      const step = await this.#advance(this.#tail)
      hadWork ||= step.hadWork
      if (!step.isMore) break
    }
    const pauseMs = Math.max(0, startedMs + pollMs - performance.now())
    return { hadWork, isMore: false, pauseMs }
  }

  /** Reads the next page of the log into the ring. */
  #advance({ ring, follower }: Tail): Promise<FollowStep> {
    return follower.step({
      filter: {},
      work: async (db, { events, upTo }) => {
        const names = await readNames(
          db,
          events.map(({ record }) => record),
        )
        ring.append(
          events.map((event) => new FeedEvent(event, names)),
          upTo,
        )
        for (const stream of this.#readers.keys()) stream.wake()
        return true
      },
    })
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
          // Whether the session is still valid is unknown now; the next check is in two seconds.
          this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
        }
      }),
    )
  }
}

function tooMany(reason: NoTurn): Refusal {
  if (reason === 'all')
    return new Refusal('too_many', 'Too many live feeds are open. Try again in a minute.', {
      retryAfterSeconds: 60,
    })
  const text = sentence('You have {count} live feeds open. Close a window and try again.', {
    count: limits.runningMaxOfKey,
  })
  return new Refusal('too_many', text, { retryAfterSeconds: 30 })
}
