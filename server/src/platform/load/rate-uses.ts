// Rates that all nodes share: how often a subject (a person, a network) did something, counted in the database.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { changed, onlyRow, row, type Db } from '../db.ts'
import { lockItem } from '../locks/locks.ts'

export type RateAct =
  | 'sign-up'
  | 'failed attempt'
  | 'password link'
  | 'test message'
  | 'endpoint test'
  | 'cdr test'

export interface SharedRate {
  /** What is counted. */
  readonly act: 'sign-up' | 'test message' | 'endpoint test' | 'cdr test' | 'failed attempt' | 'password link'
  /** Uses of one subject within the window, which is an hour at most. */
  readonly max: number
  readonly windowMs: number
}

const longestWindowMs = 3_600_000

/** When the rate next permits the subject's act; undefined when it does now. */
export async function rateFreeAt(
  db: Db,
  { act, max, windowMs }: SharedRate,
  subject: string,
  now: Date,
): Promise<Date | undefined> {
  const since = new Date(now.getTime() - windowMs)
  const used = await row<{ at: Date }>(
    db,
    sql`select at from rate_uses where act = ${act} and subject = ${subject} and at > ${since}
      order by at desc offset ${max - 1} limit 1`,
  )
  return used && new Date(used.at.getTime() + windowMs)
}

/**
 * Counts a use until the transaction ends, when the rate permits it; else counts nothing and returns what
 * {@link rateFreeAt} does. Uses of one subject at once are counted together.
 */
export async function spendRate(
  tx: Db,
  rate: SharedRate,
  subject: string,
  now: Date,
): Promise<Date | undefined> {
  await lockItem(tx, 'rates', `${rate.act} ${subject}`)
  const freeAt = await rateFreeAt(tx, rate, subject, now)
  if (freeAt === undefined)
    await sql`insert into rate_uses (act, subject, at) values (${rate.act}, ${subject}, ${now})`.execute(tx)
  return freeAt
}

/**
 * Counts a test of an address that a person entered. It may be somebody else's, so more tests would be a way to flood it.
 * Throws Refusal too_many after 30 in a minute.
 */
export async function countTest(
  tx: Db,
  act: 'endpoint test' | 'cdr test',
  subject: number | 'staff',
): Promise<void> {
  const rate = { act, max: 30, windowMs: 60_000 }
  if ((await spendRate(tx, rate, String(subject), new Date())) === undefined) return
  throw new Refusal(
    'too_many',
    sentence('At most {count} tests in a minute. Wait, then test again.', { count: rate.max }),
    { retryAfterSeconds: 60 },
  )
}

/** How often, first and last a subject did it since then; for what is slowed down instead of refused. */
export async function usesSince(
  db: Db,
  act: RateAct,
  subject: string,
  since: Date,
): Promise<{ count: number; firstAt: Date | null; lastAt: Date | null }> {
  return onlyRow(
    db,
    sql`select count(*)::int as count, min(at) as "firstAt", max(at) as "lastAt" from rate_uses
      where act = ${act} and subject = ${subject} and at > ${since}`,
  )
}

/** Counts a use for each subject. */
export async function addUses(db: Db, act: RateAct, subjects: readonly string[], at: Date): Promise<void> {
  await sql`insert into rate_uses (act, subject, at)
    select ${act}, subject, ${at} from unnest(${subjects}::text[]) as subject`.execute(db)
}

/** Forgets the uses of a subject; returns how many there were. */
export function clearUses(db: Db, act: RateAct, subject: string): Promise<number> {
  return changed(db, db.deleteFrom('rate_uses').where('act', '=', act).where('subject', '=', subject))
}

/** Forgets the uses of all subjects that begin so. */
export async function clearUsesUnder(db: Db, act: RateAct, prefix: string): Promise<void> {
  await sql`delete from rate_uses where act = ${act} and starts_with(subject, ${prefix})`.execute(db)
}

/** Deletes what no rate counts. */
export async function deleteOldRateUses(db: Db, now: Date): Promise<void> {
  await sql`delete from rate_uses where at < ${new Date(now.getTime() - longestWindowMs)}`.execute(db)
}
