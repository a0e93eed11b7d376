// What a bill is made of: the lines, and where the records behind them are.
import { sql, type RawBuilder } from 'kysely'
import type { PeriodLine } from '@tollgate/contract/billing.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { adjustmentLines } from './adjustment-lines.ts'

/**
 * A condition on records `r`: where the batches stored in the cycle say they are. An hour of slack on both sides, since
 * the clock of the close is not the database's.
 */
export async function createdBetween(db: Db, cycleId: number): Promise<RawBuilder<unknown>> {
  const found = await row<{ from: Date | null; to: Date | null }>(
    db,
    sql`select min(created_from) as from, max(created_to) as to from record_batches, cycles c
        where c.id = ${cycleId}
          and stored_at >= coalesce((select max(closed_at) from cycles o where o.id < c.id), '-infinity') - interval '1 hour'
          and stored_at <= coalesce(c.closed_at, 'infinity') + interval '1 hour'`,
  )
  if (found?.from == null || found.to === null) return sql`true`
  return sql`r.created_at >= ${found.from}::timestamptz - interval '1 second'
    and r.created_at <= ${found.to}::timestamptz + interval '1 second'`
}

interface LineRow {
  readonly number: string | null
  readonly rate_micro: string | null
  readonly sms_count: string
  readonly amount_micro: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly username: string
}

/** The lines of a bill; of the open period as they are now. */
export async function listLines(
  db: Db,
  cycleId: number,
  userId: number,
  isOpen: boolean,
): Promise<PeriodLine[]> {
  const source = isOpen
    ? sql`(select r.number_id, r.rate_id, count(*) as sms_count, sum(r.amount_micro)::bigint as amount_micro
        from records r where r.cycle_id = ${cycleId} and r.client_id = ${userId} and r.settlement = 1 and not r.is_held
          -- Of a closed cycle that waits for its bills: released since, it counts in the next one.
          and not exists (select from cycle_held_records h where h.cycle_id = ${cycleId} and h.record_id = r.id)
          and ${await createdBetween(db, cycleId)} group by 1, 2)`
    : sql`(select number_id, rate_id, sms_count, amount_micro from billing_lines
        where cycle_id = ${cycleId} and user_id = ${userId})`
  const found = await rows<LineRow>(
    db,
    sql`select n.number, t.rate_micro, l.sms_count, l.amount_micro, c.starts_at, c.ends_at, u.username
        from ${source} l left join numbers n on n.id = l.number_id left join rates t on t.id = l.rate_id
        join cycles c on c.id = ${cycleId} join users u on u.id = ${userId}
        order by n.number nulls last, t.rate_micro`,
  )
  const beyond = found.find(({ number }) => number === null)
  const rest = {
    amountMicro: BigInt(beyond?.amount_micro ?? 0),
    smsCount: Number(beyond?.sms_count ?? 0),
  }
  return [
    ...found.filter(({ number }) => number !== null).map(toTrafficLine),
    ...(await adjustmentLines(db, cycleId, userId, isOpen ? undefined : rest)),
  ]
}

function toTrafficLine(line: LineRow): PeriodLine {
  const number = line.number ?? ''
  return {
    number,
    kind: 'traffic',
    reason: '',
    at: null,
    rate: line.rate_micro === null ? '' : formatMicro(BigInt(line.rate_micro), 2),
    smsCount: Number(line.sms_count),
    amount: formatMicro(BigInt(line.amount_micro), 2),
    recordsUrl: recordsPath(number, line.username, [line.starts_at, line.ends_at]),
    messages: [],
  }
}

// A number may change hands within a period, so the client is named, too.
function recordsPath(number: string, client: string, [from, to]: readonly [Date, Date]): string {
  const day = (at: Date) => at.toISOString().slice(0, 10)
  const filters = { number, client, dateFrom: day(from), dateTo: day(new Date(to.getTime() - 1)) }
  return `/sms-records?${new URLSearchParams(filters).toString()}`
}
