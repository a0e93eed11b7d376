// Follows the log: reads what is final after a position, has the work done, and saves the new position in the same
// transaction. So whatever crashes, each batch or event is worked on exactly once.
import { sql, type RawBuilder } from 'kysely'
import { prepared, row, type Db } from '../../platform/db.ts'
import { takeTurn, type Overload } from '../../platform/load/overload.ts'
import { tryLock, lock, type SingleLockName } from '../../platform/locks/locks.ts'
import { transaction } from '../../platform/transaction.ts'
import { fencedTransaction, type Lease } from '../../platform/work/leases.ts'
import { IdleBackoff } from '../../platform/work/backoff.ts'
import { Recurring } from '../../platform/work/recurring.ts'
import {
  comparePositions,
  formatPosition,
  parsePosition,
  positionBelow,
  type LogPosition,
} from './log-position.ts'
import { measured, type FollowerName } from './lag.ts'
import { readLog, type LogFilter, type LogPage } from './read-log.ts'

/** What one step of a follower found. */
export interface FollowStep {
  /** Whether there was anything to do. */
  readonly hadWork: boolean
  /** Whether there may be more at once. */
  readonly isMore: boolean
  /** The pause before the next step, where the follower's own would not do. */
  readonly pauseMs?: number
}

/** A batch of the log; `from` and `to` are the times of its oldest and newest record, to the microsecond. */
export interface LogBatch {
  readonly xid: string
  readonly id: string
  readonly record_count: number
  /** The flags that any of its records has; null when they were not noted. */
  readonly record_flags: number | null
  readonly from: string
  readonly to: string
}

export interface BatchFollowerOptions {
  readonly db: Db
  /** Its row of `follower_positions`. */
  readonly follower: 'search' | 'lines' | 'numbers' | 'long_messages' | 'senders'
  /** Lets one node work at a time. A step waits for it, or gives up with `skipsLocked`. */
  readonly lockName: SingleLockName
  readonly skipsLocked: boolean
  /** A step takes batches until they have so many records, and none when there are fewer than `recordsMin`. */
  readonly recordsMax: number
  readonly recordsMin: number
  /** Only batches with one of these flags have records to work on; the others are passed when there are many of them. */
  readonly flags?: number
  /** Does the work for these batches, in log order. Gives the last batch that is done; undefined for none. */
  readonly work: (tx: Db, batches: readonly LogBatch[]) => Promise<LogBatch | undefined>
}

/** A step takes at most so many batches, however few records they have. */
export const stepBatchesMax = 1_024
// Batches without work are read again until there are so many, which costs less than to save a position for each.
const passedAtOnce = 256

/** Whether a record of the batch may have one of these flags. */
export function hasFlags(
  { record_flags: noted }: Pick<LogBatch, 'record_flags'>,
  flags: number | undefined,
): boolean {
  return flags === undefined || noted === null || (noted & flags) !== 0
}

/** Follows whole batches. */
export class BatchFollower {
  readonly #options: BatchFollowerOptions
  readonly #text: string

  constructor(options: BatchFollowerOptions) {
    this.#options = options
    // The plan of the range is kept in the function; a batch id is a whole number, so the next one begins at + 1.
    this.#text = `
      select b.xid::text, b.id, b.record_count, b.record_flags, b.created_from::text as from, b.created_to::text as to
      from follower_positions p cross join lateral log_batches(p.xid, p.batch + 1, log_horizon(), ${stepBatchesMax}) b
      where p.follower = '${options.follower}'`
  }

  /** Takes the next batches; gives how many are done, 0 at the end of the log. */
  async step(): Promise<number> {
    const { db, lockName, skipsLocked, follower, work } = this.#options
    // Read without the lock first, since most of the time there is nothing to do.
    if ((await this.#next(db)).length === 0) return 0
    return transaction(db, async (tx) => {
      if (!skipsLocked) await lock(tx, lockName)
      else if (!(await tryLock(tx, lockName))) return 0
      const batches = await this.#next(tx)
      const last = batches.length === 0 ? undefined : await work(tx, batches)
      if (last === undefined) return 0
      await sql`update follower_positions set xid = ${last.xid}::xid8, batch = ${last.id}
        where follower = ${follower}`.execute(tx)
      return batches.indexOf(last) + 1
    })
  }

  async #next(db: Db): Promise<LogBatch[]> {
    const { follower, recordsMax, recordsMin, flags } = this.#options
    const batches = await prepared<LogBatch>(db, `batches_after_${follower}`, this.#text)
    const taken: LogBatch[] = []
    let recordCount = 0
    for (const batch of batches) {
      if (recordCount >= recordsMax) break
      taken.push(batch)
      if (hasFlags(batch, flags)) recordCount += batch.record_count
    }
    const isWorthIt = recordCount >= recordsMin || (flags !== undefined && taken.length >= passedAtOnce)
    return isWorthIt ? taken : []
  }
}

/** SQL: the records of whole batches, as a table. */
export function recordsOfBatches(batches: readonly LogBatch[]): RawBuilder<unknown> {
  return sql`records_of_batches(
    ${batches.map(({ id }) => id)}::bigint[], ${batches.map(({ from }) => from)}::timestamptz[],
    ${batches.map(({ to }) => to)}::timestamptz[], ${batches.map(() => 0)}::int[], ${batches.map(() => 4_096)}::int[])`
}

/** Where a follower of events keeps its position. */
interface Progress {
  /** Where the follower begins. */
  readonly read: () => Promise<LogPosition>
  /** Does the work for a page of the log, and saves its end with it. Gives false when the page is to be read again. */
  readonly commit: (page: LogPage, work: FollowWork) => Promise<boolean>
}

/** The work for a page of the log. With false nothing is saved, and the page is read again. */
export type FollowWork = (tx: Db, page: LogPage) => Promise<boolean>

export interface SavedProgressOptions {
  readonly db: Db
  /** The right to follow; a step fails when another node has it. */
  readonly lease: Pick<Lease, 'name' | 'token'>
  /** Its row of `follower_positions`. */
  readonly follower: 'webhooks' | 'receipts'
}

// The end of the log moves with every transaction of the database, and each saved position is one. So a position without
// work is saved only now and then.
const saveEachXids = 10_000n

/** A position in the database, saved in the transaction of the work. */
export function savedProgress({ db, lease, follower }: SavedProgressOptions): Progress {
  let savedXid = 0n
  return {
    async read() {
      const saved = await row<{ position: string }>(
        db,
        sql`select position from follower_positions where follower = ${follower}`,
      )
      const position = parsePosition(saved?.position ?? '0') ?? positionBelow(0n)
      savedXid = position.xid
      return position
    },
    async commit(page, work) {
      const { events, upTo } = page
      if (events.length === 0 && upTo.xid - savedXid <= saveEachXids) return true
      const isDone = await fencedTransaction(db, lease, async (tx) => {
        if (!(await work(tx, page))) return false
        await sql`update follower_positions set position = ${formatPosition(upTo)}
          where follower = ${follower}`.execute(tx)
        return true
      })
      if (isDone) savedXid = upTo.xid
      return isDone
    },
  }
}

/** A position that ends with the process, for a follower that shows what comes from now on. */
export function progressFrom(db: Db, start: LogPosition): Progress {
  return { read: async () => start, commit: (page, work) => work(db, page) }
}

/** What a step works on. */
export interface EventStep {
  readonly filter: LogFilter
  /** Nothing before this position is needed. */
  readonly notBefore?: LogPosition
  readonly work: FollowWork
}

/** Follows single records and their changes; it owns its position, so there must be one for each position. */
export class EventFollower {
  readonly #db: Db
  readonly #progress: Progress
  readonly #recordsMax: number
  #position: LogPosition | undefined

  /** A step reads about `recordsMax` records. */
  constructor(db: Db, progress: Progress, recordsMax: number) {
    this.#db = db
    this.#progress = progress
    this.#recordsMax = recordsMax
  }

  async step({ filter, notBefore, work }: EventStep): Promise<FollowStep> {
    this.#position ??= await this.#progress.read()
    const after = laterOf(this.#position, notBefore)
    const page = await readLog(this.#db, after, { recordsMax: this.#recordsMax, ...filter })
    if (!(await this.#progress.commit(page, work))) return { hadWork: true, isMore: true }
    this.#position = page.upTo
    return { hadWork: page.events.length > 0, isMore: !page.isEnd }
  }
}

function laterOf(position: LogPosition, other: LogPosition | undefined): LogPosition {
  return other === undefined || comparePositions(position, other) >= 0 ? position : other
}

export interface FollowOptions {
  /** What its lag is measured as; undefined for one that shows what comes from now on. */
  readonly name?: FollowerName | undefined
  /** Makes the follower wait while there is too much traffic, take turns with others, and rest after its work. */
  readonly overload?: Overload | undefined
  readonly onFault: (error: Error) => void
  /** See {@link Recurring}. */
  readonly gatherMs?: number
}

const idleMs = 250
const quietMs = 1_000
const faultMs = 1_000

/** Repeats `step`: at once while there is more, else after a pause that grows in quiet times. */
export function follow(step: () => Promise<FollowStep>, options: FollowOptions): Recurring {
  const { name, overload, onFault, ...rest } = options
  const work = name === undefined ? step : () => measured(name, step)
  const pace = new IdleBackoff({ firstMs: idleMs, maxMs: quietMs })
  return new Recurring({
    ...rest,
    everyMs: idleMs,
    faultPauseMs: faultMs,
    onFault: (error) => onFault(error instanceof Error ? error : new Error(String(error))),
    async run() {
      if (overload?.shouldWait() === true) return { pauseMs: idleMs }
      const { found, restMs } = await takeTurn(overload, work)
      const { hadWork, isMore, pauseMs } = found
      const idlePauseMs = pace.pauseMs(hadWork || isMore)
      return { pauseMs: isMore ? restMs : (pauseMs ?? idlePauseMs) }
    },
  })
}
