// Messages to numbers that nobody held, with what they would have earned. They are read from the records: nothing is counted
// for it while messages come in.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { UnownedGroup, UnownedReport } from '@tollgate/contract/records/unowned.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../files/formats/csv.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { StreamReply } from '../../http/handlers.ts'
import { conjunctionOf, rowPredicates, type SqlFragment } from '../query/condition.ts'
import { withinSumTime } from '../query/sum-time.ts'
import type { ReadDeps } from './list-records.ts'

export interface UnownedQuery {
  readonly dateFrom?: string | undefined
  readonly dateTo?: string | undefined
  readonly groupBy: UnownedGroup
}

type Row = UnownedReport['rows'][number]
type Days = Pick<UnownedReport, 'dateFrom' | 'dateTo'>

const dayMs = 86_400_000
const daysByDefault = 30
const rowsShownMax = 500

/** Throws Refusal invalid (days in the wrong order) and unprocessable (more than 20 s of work). */
export async function reportUnowned({ db, clock }: ReadDeps, query: UnownedQuery): Promise<UnownedReport> {
  const days = daysOf(query, clock.now())
  const all = await readGroups(db, days, query.groupBy)
  return {
    ...days,
    total: toSums(all.reduce(plus, nothing)),
    rows: all.slice(0, rowsShownMax).map((group) => toRow(group, days, query.groupBy)),
    isCut: all.length > rowsShownMax,
  }
}

const columns: readonly CsvColumn<Row>[] = [
  ['Group', ({ group }) => group],
  ['SMS', ({ smsCount }) => String(smsCount)],
  ['Bill', ({ bill }) => bill],
  ['Value USD', ({ amountUsd }) => amountUsd],
  ['Open SMS', ({ openCount }) => String(openCount)],
  ['Open Value USD', ({ openAmountUsd }) => openAmountUsd],
  ['First', ({ firstAt }) => firstAt],
  ['Last', ({ lastAt }) => lastAt],
]

/** All rows as CSV. */
export async function exportUnowned({ db, clock }: ReadDeps, query: UnownedQuery): Promise<StreamReply> {
  const days = daysOf(query, clock.now())
  const all = await readGroups(db, days, query.groupBy)
  return csvOfList(
    `unowned-${query.groupBy}-${days.dateFrom}-${days.dateTo}.csv`,
    columns,
    async (cursor) => {
      const from = Number(cursor ?? 0)
      const beyond = from + exportPageRows
      return {
        items: all.slice(from, beyond).map((group) => toRow(group, days, query.groupBy)),
        next: beyond < all.length ? String(beyond) : undefined,
      }
    },
  )
}

function daysOf({ dateFrom, dateTo }: UnownedQuery, now: Date): Days {
  const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10)
  const to = dateTo ?? dayOf(now.getTime())
  const from = dateFrom ?? dayOf(Date.parse(to) - (daysByDefault - 1) * dayMs)
  if (to < from)
    throw new Refusal('invalid', 'Date To must not be before Date From.', {
      fields: { dateTo: 'Must not be before Date From' },
    })
  return { dateFrom: from, dateTo: to }
}

interface GroupRow {
  readonly name: string
  readonly count: string
  readonly bill: string
  readonly amount: string
  readonly open_count: string
  readonly open_amount: string
  readonly first_at: Date
  readonly last_at: Date
}

const keys: Record<UnownedGroup, SqlFragment> = {
  number: sql`r.number_id::text`,
  range: sql`r.range_id::text`,
  gateway: sql`r.gateway_id::text`,
  day: sql`(r.created_at at time zone 'UTC')::date::text`,
}
const names: Record<UnownedGroup, SqlFragment> = {
  number: sql`(select number from numbers where id = c.key::int)`,
  range: sql`coalesce((select range_number from ranges where id = c.key::int), '')`,
  gateway: sql`(select name from gateways where id = c.key::int)`,
  day: sql`c.key`,
}

/**
 * A message is worth as many SMS as its text fills, an acknowledgement nothing (decision 64).
 *
 * The records are grouped by number and by the times between two changes of prices or holders; then each part has one price,
 * and was credited since as a whole or not at all.
 */
async function readGroups(db: Db, { dateFrom, dateTo }: Days, groupBy: UnownedGroup): Promise<GroupRow[]> {
  const [from, to] = [`${dateFrom}T00:00:00Z`, new Date(Date.parse(dateTo) + dayMs).toISOString()]
  const order =
    groupBy === 'day' ? sql`1 desc` : sql`sum(sms * rate_micro) filter (where not is_held) desc nulls last, 1`
  return withinSumTime(db, async (tx) => {
    const changes = await rows<{ at: string }>(
      tx,
      sql`select distinct at::text from (
            select valid_from as at from rates where scope <> 'user'
            union all select held_from from number_holders union all select held_to from number_holders
          ) changes where at > ${from}::timestamptz and at < ${to}::timestamptz`,
    )
    return rows<GroupRow>(
      tx,
      sql`with changes as materialized (
            select coalesce(array_agg(at order by at), '{}') as ats
            from unnest(${changes.map(({ at }) => at)}::timestamptz[]) at
          ), counted as materialized (
            select ${keys[groupBy]} as key, r.number_id, width_bucket(r.created_at, (select ats from changes)) as part,
              min(r.created_at) as first, max(r.created_at) as last, count(*) as n, sum(r.sms_count) as sms,
              sum(r.bill_micro) as bill
            from records r
            where r.client_id is null and r.created_at >= ${from}::timestamptz and r.created_at < ${to}::timestamptz
              and ${conjunctionOf(rowPredicates({ isTest: false }))}
            group by 1, 2, 3
          ), priced as (
            select c.*, ${names[groupBy]} as name, exists (
                select from number_holders h where h.number_id = c.number_id and h.held_from <= c.first
                  and (h.held_to is null or h.held_to > c.first)
              ) as is_held,
              coalesce((
                select t.rate_micro from rates t where t.number_id = c.number_id and t.scope = 'number'
                  and t.valid_from <= c.first order by t.id desc limit 1
              ), (
                select t.rate_micro from rates t where t.scope = 'global' and t.valid_from <= c.first
                order by t.id desc limit 1
              )) as rate_micro
            from counted c
          )
          select coalesce(name, '') as name, sum(n)::text as count, sum(bill)::text as bill, sum(sms * rate_micro)::text as amount,
            coalesce(sum(n) filter (where not is_held), 0)::text as open_count,
            coalesce(sum(sms * rate_micro) filter (where not is_held), 0)::text as open_amount,
            min(first) as first_at, max(last) as last_at
          from priced group by 1 order by ${order}`,
    )
  })
}

interface Sums {
  readonly count: bigint
  readonly bill: bigint
  readonly amount: bigint
  readonly openCount: bigint
  readonly openAmount: bigint
}

const nothing: Sums = { count: 0n, bill: 0n, amount: 0n, openCount: 0n, openAmount: 0n }

const plus = (sums: Sums, row: GroupRow): Sums => ({
  count: sums.count + BigInt(row.count),
  bill: sums.bill + BigInt(row.bill),
  amount: sums.amount + BigInt(row.amount),
  openCount: sums.openCount + BigInt(row.open_count),
  openAmount: sums.openAmount + BigInt(row.open_amount),
})

const toSums = ({ count, bill, amount, openCount, openAmount }: Sums) => ({
  smsCount: Number(count),
  bill: formatMicro(bill, 2),
  amountUsd: formatMicro(amount, 2),
  openCount: Number(openCount),
  openAmountUsd: formatMicro(openAmount, 2),
})

function toRow(row: GroupRow, days: Days, groupBy: UnownedGroup): Row {
  return {
    group: row.name,
    ...toSums(plus(nothing, row)),
    firstAt: row.first_at.toISOString(),
    lastAt: row.last_at.toISOString(),
    recordsUrl: row.name === '' ? '' : recordsUrl(row.name, days, groupBy),
  }
}

function recordsUrl(name: string, { dateFrom, dateTo }: Days, groupBy: UnownedGroup): string {
  const query = new URLSearchParams({ unowned: 'true', test: 'false', zone: 'UTC' })
  query.set('dateFrom', groupBy === 'day' ? name : dateFrom)
  query.set('dateTo', groupBy === 'day' ? name : dateTo)
  if (groupBy !== 'day') query.set(groupBy, name)
  return `/sms-records?${query.toString()}`
}
