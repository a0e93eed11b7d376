// SQL on what keeps a close waiting, and on the approvals of persons that let it continue.
import { sql } from 'kysely'
import { inEnglish, quote, type Sentence } from '@tollgate/contract/sentences.ts'
import { row, type Db } from '../../platform/db.ts'
import type { Clocks } from '../deps.ts'

/** Why due cycles may not be closed. */
export interface CloseObstacle {
  readonly cause: 'clock' | 'chain' | 'behind'
  readonly words: readonly Sentence[]
  /** How many cycles are due. */
  readonly cycleCount: number
}

export interface CloseWaitRow {
  readonly cause: CloseObstacle['cause']
  readonly explanation: string
  readonly words: readonly Sentence[]
  readonly cycle_count: number
  readonly since: Date
}

/** The clocks of this machine and of the database, read at the same moment except for the time of the query. */
export async function readClocks(db: Db): Promise<Clocks> {
  const found = await row<{ now: Date }>(db, sql`select clock_timestamp() as now`)
  if (found === undefined) throw new Error('The database did not say its time')
  return { node: new Date(), database: found.now }
}

/** Notes why a close waits. A close is tried each second, so an unchanged reason is written every ten seconds only. */
export async function noteWait(db: Db, { cause, words, cycleCount }: CloseObstacle): Promise<void> {
  await sql`insert into close_waits (cause, explanation, words, cycle_count, since, seen_at)
    values (${cause}, ${inEnglish(...words)}, ${JSON.stringify(words)}::jsonb, ${cycleCount}, clock_timestamp(), clock_timestamp())
    on conflict (only_row) do update set cause = excluded.cause, explanation = excluded.explanation, words = excluded.words,
      cycle_count = excluded.cycle_count, seen_at = excluded.seen_at,
      since = case when close_waits.seen_at < excluded.seen_at - interval '1 minute' then excluded.since else close_waits.since end
    where close_waits.seen_at < excluded.seen_at - interval '10 seconds' or close_waits.cause <> excluded.cause
      or close_waits.cycle_count <> excluded.cycle_count`.execute(db)
}

export async function clearWait(db: Db): Promise<void> {
  await db.deleteFrom('close_waits').execute()
}

/**
 * Undefined when no close waits. A row that nobody renews comes from a gateway that has stopped, or whose clock is
 * right again.
 */
export async function findWait(db: Db): Promise<CloseWaitRow | undefined> {
  const found = await db
    .selectFrom('close_waits')
    .select(['cause', 'explanation', 'words', 'cycle_count', 'since'])
    .where('seen_at', '>', sql<Date>`clock_timestamp() - interval '1 minute'`)
    .$narrowType<{ words: readonly Sentence[] | null }>()
    .executeTakeFirst()
  return found && { ...found, words: found.words ?? [quote(found.explanation)] }
}

/** Whether a person has allowed the close of a cycle that ends then. */
export async function isAllowed(db: Db, endsAt: Date): Promise<boolean> {
  return (await row(db, sql`select from close_words where ends_by >= ${endsAt} limit 1`)) !== undefined
}

interface CloseApproval {
  readonly endsBy: Date
  readonly reason: string
  readonly approvedBy: number
  readonly at: Date
}

export async function insertCloseApproval(
  tx: Db,
  { endsBy, reason, approvedBy, at }: CloseApproval,
): Promise<void> {
  await tx
    .insertInto('close_words')
    .values({ ends_by: endsBy, reason, given_by: approvedBy, given_at: at })
    .execute()
}
