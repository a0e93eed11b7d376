// SQL of the terms of one client.
import { sql } from 'kysely'
import type { OwnTerms } from '@tollgate/contract/terms/terms.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, type Db, type Row } from '../platform/db.ts'
import type { BegunBy } from '../settings/index.ts'
import type { DefaultTerms } from './settings.ts'
import { termsInForce } from './terms-in-force.ts'
import type { TermsRow } from './terms-text.ts'

type TermsColumns = Pick<
  Row<'client_terms'>,
  | 'numbers_max'
  | 'sms_per_day_max'
  | 'value_per_cycle_max_micro'
  | 'payable_after_days'
  | 'reserve_percent'
  | 'reserve_days'
>

const toRow = (found: TermsColumns): TermsRow => ({
  numbersMax: found.numbers_max,
  smsPerDayMax: found.sms_per_day_max === null ? null : Number(found.sms_per_day_max),
  valuePerCycleMaxMicro:
    found.value_per_cycle_max_micro === null ? null : BigInt(found.value_per_cycle_max_micro),
  payableAfterDays: found.payable_after_days,
  reservePercent: found.reserve_percent,
  reserveDays: found.reserve_days,
})

export interface FoundTerms {
  readonly terms: TermsRow
  readonly isOwn: boolean
  readonly isNewcomer: boolean
}

/** The terms in force of one client; undefined when there is no such person. */
export async function findTerms(
  db: Db,
  defaults: DefaultTerms,
  userId: number,
): Promise<FoundTerms | undefined> {
  const found = await row<TermsColumns & { is_own: boolean; is_newcomer: boolean }>(
    db,
    sql`select * from ${termsInForce(defaults, sql`u.id = ${userId}`)} terms`,
  )
  return found && { terms: toRow(found), isOwn: found.is_own, isNewcomer: found.is_newcomer }
}

export async function countNumbers(db: Db, userId: number): Promise<number> {
  const found = await db
    .selectFrom('numbers')
    .select(sql<number>`count(*)::int`.as('count'))
    .where('holder_id', '=', userId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  return found?.count ?? 0
}

/** How much of its limits a client uses now. Days are UTC. */
export async function findUse(db: Db, now: Date, userId: number): Promise<OwnTerms['used']> {
  const found = await row<{ sms: string; micro: string }>(
    db,
    sql`select (
          select coalesce(sum(record_count), 0)::text from record_day_counters
          where client_id = ${userId} and range_id = -1 and gateway_id = -1
            and day = (${now}::timestamptz at time zone 'UTC')::date
        ) as sms, (
          select coalesce(sum(amount_micro), 0)::text from record_cycles
          where client_id = ${userId} and cycle_id = (select id from cycles where closed_at is null)
        ) as micro`,
  )
  return {
    numbers: await countNumbers(db, userId),
    smsToday: Number(found?.sms ?? 0),
    valueThisCycle: formatMicro(BigInt(found?.micro ?? 0), 2),
  }
}

const historyMax = 100

export async function termsHistory(db: Db, userId: number) {
  const found = await db
    .selectFrom('client_terms as t')
    .leftJoin('users as s', 's.id', 't.set_by')
    .leftJoin('users as a', 'a.id', 't.approved_by')
    .selectAll('t')
    .select(['s.username as setter', 'a.username as approver'])
    .where('t.user_id', '=', userId)
    .orderBy('t.id', 'desc')
    .limit(historyMax)
    .execute()
  return found.map((each) => ({
    id: each.id,
    terms: toRow(each),
    setBy: each.setter ?? '',
    approvedBy: each.approver ?? '',
    beginsAt: each.begins_at.toISOString(),
  }))
}

export async function insertTerms(
  tx: Db,
  userId: number,
  terms: TermsRow,
  { requestedBy, approvedBy }: BegunBy,
  at: Date,
): Promise<void> {
  await sql`insert into client_terms (user_id, numbers_max, sms_per_day_max, value_per_cycle_max_micro,
      payable_after_days, reserve_percent, reserve_days, set_by, approved_by, begins_at)
    values (${userId}, ${terms.numbersMax}, ${terms.smsPerDayMax}, ${terms.valuePerCycleMaxMicro},
      ${terms.payableAfterDays}, ${terms.reservePercent}, ${terms.reserveDays}, ${requestedBy}, ${approvedBy}, ${at})`.execute(
    tx,
  )
}
