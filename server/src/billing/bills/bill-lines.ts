// The lines of a bill, each with a link to the records behind it.
import { sql } from 'kysely'
import type { PeriodLine } from '@tollgate/contract/billing.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../../platform/db.ts'
import { createdBetween } from '../close/record-bounds.ts'
import { heldAtClose } from '../close/store.ts'
import { adjustmentLines } from './adjustment-lines.ts'

interface LineRow {
  readonly number: string | null
  readonly rate_micro: string | null
  readonly sms_count: string
  readonly amount_micro: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly username: string
}

/** The lines of a bill; for an open period, as they are now. */
export async function listLines(
  db: Db,
  cycleId: number,
  userId: number,
  isOpen: boolean,
): Promise<PeriodLine[]> {
  const source = isOpen
    ? sql`(select r.number_id, r.rate_id, count(*) as sms_count, sum(r.amount_micro)::bigint as amount_micro
        from records r where r.cycle_id = ${cycleId} and r.client_id = ${userId} and r.settlement = 1 and not r.is_held
          -- Held when the cycle closed: a release since then counts in the next cycle.
          and r.id <> all(${await heldAtClose(db, cycleId, { from: userId, to: userId })}::bigint[])
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
  const adjustment = found.find(({ number }) => number === null)
  const remainder = {
    amountMicro: BigInt(adjustment?.amount_micro ?? 0),
    smsCount: Number(adjustment?.sms_count ?? 0),
  }
  return [
    ...found.filter(({ number }) => number !== null).map(toTrafficLine),
    ...(await adjustmentLines(db, cycleId, userId, isOpen ? undefined : remainder)),
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

// The link filters by client too, because a number may change its holder within a period.
function recordsPath(number: string, client: string, [from, to]: readonly [Date, Date]): string {
  const day = (at: Date) => at.toISOString().slice(0, 10)
  const filters = { number, client, dateFrom: day(from), dateTo: day(new Date(to.getTime() - 1)) }
  return `/sms-records?${new URLSearchParams(filters).toString()}`
}
