// Follows the log: reads what is final after a saved position, has the work done, and saves the new position in the same
// transaction. So whatever crashes, each batch or event is worked on exactly once.
import { setTimeout as sleep } from 'node:timers/promises'
import { sql, type RawBuilder } from 'kysely'
import { prepared, type Db } from '../../platform/db.ts'
import type { Overload } from '../../platform/load/overload.ts'
import { tryLock, lock, type SingleLockName } from '../../platform/locks/locks.ts'
import { transaction } from '../../platform/transaction.ts'
import { fencedTransaction, type Lease } from '../../platform/work/leases.ts'
import { IdleBackoff } from '../../platform/work/backoff.ts'
import {
  comparePositions,
  formatPosition,
  parsePosition,
  positionBelow,
  type LogPosition,
} from './log-position.ts'
import { readLog, type LogEvent, type LogFilter } from './read-log.ts'

/** What one step of a follower found. */
export interface FollowStep {
  /** Whether there was anything to do. */
  readonly hadWork: boolean
  /** Whether there may be more at once. */
  readonly isMore: boolean
}

/** A batch of the log; `from` and `to` are the times of its oldest and newest record, to the microsecond. */
export interface LogBatch {
  readonly xid: string
  readonly id: string
  readonly record_count: number
  readonly from: string
  readonly to: string
}

export interface BatchFollowerOptions {
  readonly db: Db
  /** A table of one row: the columns `xid` and `batch` name the last batch that is done. */
  readonly positionTable: 'record_search_position' | 'record_line_position'
  /** Lets one node work at a time. A step waits for it, or gives up with `skipsLocked`. */
  readonly lockName: SingleLockName
  readonly skipsLocked: boolean
  /** A step takes batches until they have so many records, and none when there are fewer than `recordsMin`. */
  readonly recordsMax: number
  readonly recordsMin: number
  /** Does the work for these batches, in log order. Gives the last batch that is done; undefined for none. */
  readonly work: (tx: Db, batches: readonly LogBatch[]) => Promise<LogBatch | undefined>
}

const batchesMax = 1_024

/** Follows whole batches. */
export class BatchFollower {
  readonly #options: BatchFollowerOptions
  readonly #text: string

  constructor(options: BatchFollowerOptions) {
    this.#options = options
    // The plan of the range is kept in the function; a batch id is a whole number, so the next one begins at + 1.
    this.#text = `
      select b.xid::text, b.id, b.record_count, b.created_from::text as from, b.created_to::text as to
      from ${options.positionTable} p cross join lateral log_batches(p.xid, p.batch + 1, log_horizon(), ${batchesMax}) b`
  }

  /** Takes the next batches; gives how many are done, 0 at the end of the log. */
  async step(): Promise<number> {
    const { db, lockName, skipsLocked, positionTable, work } = this.#options
    // Read without the lock first, since most of the time there is nothing to do.
    if ((await this.#next(db)).length === 0) return 0
    return transaction(db, async (tx) => {
      if (!skipsLocked) await lock(tx, lockName)
      else if (!(await tryLock(tx, lockName))) return 0
      const batches = await this.#next(tx)
      const last = batches.length === 0 ? undefined : await work(tx, batches)
      if (last === undefined) return 0
      await sql`update ${sql.table(positionTable)} set xid = ${last.xid}::xid8, batch = ${last.id}`.execute(
        tx,
      )
      return batches.indexOf(last) + 1
    })
  }

  async #next(db: Db): Promise<LogBatch[]> {
    const { positionTable, recordsMax, recordsMin } = this.#options
    const batches = await prepared<LogBatch>(db, `batches_after_${positionTable}`, this.#text)
    const taken: LogBatch[] = []
    let recordCount = 0
    for (const batch of batches) {
      if (recordCount >= recordsMax) break
      taken.push(batch)
      recordCount += batch.record_count
    }
    return recordCount < recordsMin ? [] : taken
  }
}

/** SQL: the records of whole batches, as a table. */
export function recordsOfBatches(batches: readonly LogBatch[]): RawBuilder<unknown> {
  return sql`records_of_batches(
    ${batches.map(({ id }) => id)}::bigint[], ${batches.map(({ from }) => from)}::timestamptz[],
    ${batches.map(({ to }) => to)}::timestamptz[], ${batches.map(() => 0)}::int[], ${batches.map(() => 4_096)}::int[])`
}

export interface EventFollowerOptions {
  readonly db: Db
  /** The right to follow; a step fails when another node has it. */
  readonly lease: Pick<Lease, 'name' | 'token'>
  /** How many records a step reads at most. */
  readonly recordsMax: number
  readonly readPosition: (db: Db) => Promise<string>
  readonly savePosition: (tx: Db, position: string) => Promise<void>
}

/** What a step works on. */
export interface EventStep {
  readonly filter: LogFilter
  /** Nothing before this position is needed. */
  readonly notBefore?: LogPosition
  /** Does the work for these events. With false, nothing is saved and the step is to be repeated. */
  readonly work: (tx: Db, events: readonly LogEvent[]) => Promise<boolean>
}

// The end of the log moves with every transaction of the database, and each saved position is one. So a position without
// work is saved only now and then.
const saveEachXids = 10_000n

/** Follows single records and their changes; it owns its position, so there must be one for each position. */
export class EventFollower {
  readonly #options: EventFollowerOptions
  #position: LogPosition | undefined
  #savedXid = 0n

  constructor(options: EventFollowerOptions) {
    this.#options = options
  }

  async step({ filter, notBefore, work }: EventStep): Promise<FollowStep> {
    const { db, lease, recordsMax, savePosition } = this.#options
    const after = laterOf(await this.#start(), notBefore)
    const { events, upTo, isEnd } = await readLog(db, after, { recordsMax, ...filter })
    const hadWork = events.length > 0
    if (hadWork || upTo.xid - this.#savedXid > saveEachXids) {
      const isDone = await fencedTransaction(db, lease, async (tx) => {
        if (!(await work(tx, events))) return false
        await savePosition(tx, formatPosition(upTo))
        return true
      })
      if (!isDone) return { hadWork: true, isMore: true }
      this.#savedXid = upTo.xid
    }
    this.#position = upTo
    return { hadWork, isMore: !isEnd }
  }

  async #start(): Promise<LogPosition> {
    if (this.#position !== undefined) return this.#position
    const { db, readPosition } = this.#options
    this.#position = parsePosition(await readPosition(db)) ?? positionBelow(0n)
    this.#savedXid = this.#position.xid
    return this.#position
  }
}

function laterOf(position: LogPosition, other: LogPosition | undefined): LogPosition {
  return other === undefined || comparePositions(position, other) >= 0 ? position : other
}

export interface FollowOptions {
  readonly signal: AbortSignal
  /** Makes the follower wait while there is too much traffic, and rest after its work. */
  readonly overload?: Overload | undefined
  readonly onFault: (error: Error) => void
}

const idleMs = 250
const quietMs = 1_000
const faultMs = 1_000

/** Repeats `step` until `signal` is aborted: at once while there is more, else after a pause that grows in quiet times. */
export async function follow(
  step: () => Promise<FollowStep>,
  { signal, overload, onFault }: FollowOptions,
): Promise<void> {
  const pace = new IdleBackoff({ firstMs: idleMs, maxMs: quietMs })
  const pauseAfterStep = async (): Promise<number> => {
    if (overload?.shouldWait() === true) return idleMs
    const startedMs = performance.now()
    try {
      const { hadWork, isMore } = await step()
      const pauseMs = pace.pauseMs(hadWork || isMore)
      if (!isMore) return pauseMs
      return overload === undefined ? 0 : overload.restMs(performance.now() - startedMs)
    } catch (error) {
      onFault(error instanceof Error ? error : new Error(String(error)))
      return faultMs
    }
  }
  while (!signal.aborted) {
    const pauseMs = await pauseAfterStep()
    // An abort ends the pause.
    if (pauseMs > 0) await sleep(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}
