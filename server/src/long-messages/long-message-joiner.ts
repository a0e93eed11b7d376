// Follows the log and joins segments into long messages. The messages, what follows from their end and the position in the
// log are written in one transaction under one lock, so each message ends exactly once, on however many nodes.
import type { Db } from '../platform/db.ts'
import type { Overload } from '../platform/load/overload.ts'
import { lock } from '../platform/locks/locks.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import type { Recurring } from '../platform/work/recurring.ts'
import {
  readBodies,
  recordFlags,
  BatchFollower,
  follow,
  hasFlags,
  type FollowStep,
  type LogBatch,
} from '../ingest/index.ts'
import { assignSegments, keyTextOf, type LongMessage, type Segment } from './assign-segments.ts'
import { endDue, hasDue, messagesFor, saveMessages, segmentsOf, type EndedMessage } from './store.ts'

export interface LongMessageJoinerOptions {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
  /** How long a message waits for its next segment, in milliseconds. */
  readonly waitMs: (db: Db) => Promise<number>
  /** Does what follows from the end of messages, in the transaction that ends them. */
  readonly onEnded: (tx: Db, ended: readonly EndedMessage[]) => Promise<void>
  /** Shared with the other followers. */
  readonly overload: Overload
  readonly onFault: (error: Error) => void
}

const recordsAtOnce = 8_192
const endedAtOnce = 500
// A reader joins what was stored before it came, but not a backlog.
const stepsForReader = 4

export class LongMessageJoiner {
  readonly #options: LongMessageJoinerOptions
  readonly #follower: BatchFollower
  readonly #following: Recurring

  constructor(options: LongMessageJoinerOptions) {
    this.#options = options
    this.#follower = new BatchFollower({
      db: options.db,
      follower: 'long_messages',
      lockName: 'longMessages',
      // A reader that waits for its segments must not be told that another node is at work.
      skipsLocked: false,
      recordsMax: recordsAtOnce,
      recordsMin: 1,
      flags: recordFlags.segment,
      work: (tx, batches) => this.#join(tx, batches),
    })
    this.#following = follow(() => this.#step(), {
      name: 'long_messages',
      overload: options.overload,
      onFault: options.onFault,
    })
  }

  start(): void {
    this.#following.start()
  }

  /** Waits for the current step, so that nothing uses the database afterwards. */
  stop(): Promise<void> {
    return this.#following.stop()
  }

  /** Joins what is stored and final now, so that a reader finds it; a backlog only in part. */
  async catchUp(): Promise<void> {
    for (let step = 0; step < stepsForReader; step += 1) if ((await this.#follower.step()) === 0) return
  }

  async #step(): Promise<FollowStep> {
    // Not before all segments that are stored have been joined: one of them may complete the message.
    const hadWork = (await this.#follower.step()) > 0 || (await this.endDue())
    return { hadWork, isMore: hadWork }
  }

  /** Ends messages whose time is over; false when there was none. */
  async endDue(): Promise<boolean> {
    const { db, onEnded } = this.#options
    if (!(await hasDue(db))) return false
    return transaction(db, async (tx) => {
      await lock(tx, 'longMessages')
      const ended = await endDue(tx, endedAtOnce)
      if (ended.length > 0) await onEnded(tx, ended)
      return ended.length > 0
    })
  }

  async #join(tx: Db, batches: readonly LogBatch[]): Promise<LogBatch | undefined> {
    const marked = batches.filter((batch) => hasFlags(batch, recordFlags.segment))
    const segments = marked.length === 0 ? [] : await segmentsOf(tx, marked)
    if (segments.length > 0) await this.#joinSegments(tx, segments)
    return batches.at(-1)
  }

  async #joinSegments(tx: Db, segments: readonly Segment[]): Promise<void> {
    const { waitMs, onEnded } = this.#options
    const known = await messagesFor(tx, segments)
    const isSame = await this.#comparison(tx, conflictingIds(segments, known))
    const changed = assignSegments(segments, known, isSame)
    if (changed.length === 0) return
    const ended = await saveMessages(tx, changed, await waitMs(tx))
    if (ended.length > 0) await onEnded(tx, ended)
  }

  /** Compares the octets of records; false for those that are not kept. */
  async #comparison(
    tx: Db,
    recordIds: readonly number[],
  ): Promise<(recordId: number, otherId: number) => boolean> {
    const onFault = (error: unknown) =>
      this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
    const bodies =
      recordIds.length === 0 ? undefined : await readBodies(tx, this.#options.secrets, recordIds, onFault)
    return (recordId, otherId) => {
      const [one, other] = [bodies?.get(recordId), bodies?.get(otherId)]
      if (one === undefined || other === undefined) return false
      return one.dataCoding === other.dataCoding && Buffer.compare(one.body, other.body) === 0
    }
  }
}

/** The ids of records that claim the same position in messages of the same key. */
function conflictingIds(segments: readonly Segment[], known: readonly LongMessage[]): number[] {
  const claims = new Map<string, number[]>()
  const claim = (place: string, recordId: number) =>
    claims.set(place, [...(claims.get(place) ?? []), recordId])
  const expected = new Set(segments.map((segment) => `${segment.sequence} ${keyTextOf(segment)}`))
  for (const message of known) {
    const key = keyTextOf(message)
    for (const [index, recordId] of message.recordIds.entries())
      if (recordId !== null && expected.has(`${index + 1} ${key}`)) claim(`${index + 1} ${key}`, recordId)
  }
  for (const segment of segments) claim(`${segment.sequence} ${keyTextOf(segment)}`, segment.recordId)
  return [...claims.values()].filter((recordIds) => recordIds.length > 1).flat()
}
