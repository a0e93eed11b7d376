// Counts records by day, week and number, behind ingest: a follower of the log, in steps.
import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'
import type { Overload } from '../platform/load/overload.ts'
import type { Recurring } from '../platform/work/recurring.ts'
import { conjunctionOf, rowPredicates } from '../records/index.ts'
import {
  addSums,
  BatchFollower,
  follow,
  recordsOfBatches,
  stepBatchesMax,
  type FollowStep,
  type LogBatch,
} from '../ingest/index.ts'

// A step of this size takes about 200 ms.
const stepRecords = 20_000
const pauseMs = 5_000

interface NumberDaysOptions {
  readonly db: Db
  /** Shared with the other followers. */
  readonly overload: Overload
  readonly onFault: (error: Error) => void
}

/** Each worker has one; one node at a time counts. */
export class NumberDays {
  readonly #follower: BatchFollower
  readonly #following: Recurring
  #lastRecords = 0

  constructor({ db, ...options }: NumberDaysOptions) {
    this.#follower = new BatchFollower({
      db,
      positionTable: 'record_number_position',
      lockName: 'numberDays',
      skipsLocked: true,
      recordsMax: stepRecords,
      recordsMin: 1,
      work: async (tx, batches) => {
        this.#lastRecords = batches.reduce((sum, batch) => sum + batch.record_count, 0)
        return addBatches(tx, batches)
      },
    })
    this.#following = follow(() => this.#follow(), options)
  }

  start(): void {
    this.#following.start()
  }

  /** Waits for the current step, so that nothing uses the database afterwards. */
  stop(): Promise<void> {
    return this.#following.stop()
  }

  /** Counts the next records; gives how many batches they were, 0 at the end of the log. */
  step(): Promise<number> {
    return this.#follower.step()
  }

  async #follow(): Promise<FollowStep> {
    const batchCount = await this.step()
    const hadWork = batchCount > 0
    // Small steps cost more for each record than large ones, so a step that was less than half full is followed by a
    // pause; what is not counted yet is read from the records meanwhile. A step with many small batches counts as full.
    const isMore = hadWork && (this.#lastRecords >= stepRecords / 2 || batchCount >= stepBatchesMax / 2)
    return { hadWork, isMore, pauseMs }
  }
}

async function addBatches(tx: Db, batches: readonly LogBatch[]): Promise<LogBatch | undefined> {
  await sql`
    with counted as materialized (
      select (created_at at time zone 'UTC')::date as day, coalesce(client_id, 0) as client_id, number_id,
        coalesce(range_id, 0) as range_id, gateway_id, count(*)::bigint as record_count,
        sum(bill_micro)::bigint as bill_micro, sum(amount_micro)::bigint as amount_micro
      from ${recordsOfBatches(batches)} r where ${conjunctionOf(rowPredicates({ isTest: false }))} group by 1, 2, 3, 4, 5
    ),
    by_week as (
      insert into record_number_weeks as kept
      select date_trunc('week', day)::date, client_id, number_id, range_id,
        sum(record_count), sum(bill_micro), sum(amount_micro)
      from counted group by 1, 2, 3, 4
      on conflict (week, number_id, client_id, range_id) do update set ${sql.raw(addSums)}
    )
    insert into record_number_days as kept
    select day, client_id, number_id, range_id, gateway_id, record_count, bill_micro, amount_micro from counted
    on conflict (client_id, day, number_id, range_id, gateway_id) do update set ${sql.raw(addSums)}`.execute(
    tx,
  )
  return batches.at(-1)
}
