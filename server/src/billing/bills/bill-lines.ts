// The lines of a bill, each with a link to the records behind it.
import { createdBetween, isSeen, type LinesOf } from '../../records/index.ts'
import { sql, type RawBuilder } from 'kysely'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { sumsSoFar } from '../close/line-sums.ts'
import { recordsUrl } from '../rules.ts'
import { adjustmentLines, noMessages } from './adjustment-lines.ts'

interface BillLineRow {
  readonly number: string | null
  readonly rate_micro: string | null
  readonly sms_count: string
  readonly amount_micro: string
  readonly rate_id: number | null
}

/** The lines of a bill; for an open period, as they are now. */
export async function listLines(db: Db, period: LinesOf): Promise<PeriodLine[]> {
  const { cycleId, userId, isBilled } = period
  const source = isBilled
    ? sql`(select number_id, rate_id, sms_count, amount_micro from billing_lines
        where cycle_id = ${cycleId} and user_id = ${userId})`
    : await linesSoFar(db, period)
  const found = await rows<BillLineRow>(
    db,
    sql`select n.number, t.rate_micro, l.rate_id, l.sms_count, l.amount_micro
        from ${source} l left join numbers n on n.id = l.number_id left join rates t on t.id = l.rate_id
        order by n.number nulls last, t.rate_micro`,
  )
  const adjustment = found.find(({ number }) => number === null)
  const remainder = {
    amountMicro: BigInt(adjustment?.amount_micro ?? 0),
    smsCount: Number(adjustment?.sms_count ?? 0),
  }
  return [
    ...found.filter(({ number }) => number !== null).map((line) => toTrafficLine(line, { cycleId, userId })),
    ...(await adjustmentLines(db, period, isBilled ? remainder : undefined)),
  ]
}

/** All records, less the sums of what is held: a release after the close counts in the next cycle. */
async function linesSoFar(db: Db, period: LinesOf): Promise<RawBuilder<unknown>> {
  const { cycleId, userId } = period
  // The sums are kept until the cycle's bills have their lines.
  const isItemised = await row(
    db,
    sql`select from cycle_bills where cycle_id = ${cycleId} and itemised_at is not null`,
  )
  const all =
    isItemised === undefined
      ? sumsSoFar({ cycleId, userId })
      : sql`select r.number_id, coalesce(r.rate_id, 0) as rate_id, count(*) as sms_count, sum(r.amount_micro) as amount_micro
          from records r where r.cycle_id = ${cycleId} and r.client_id = ${userId} and r.settlement = 1
            and ${await createdBetween(db, cycleId)} group by 1, 2`
  return sql`(
    select number_id, nullif(rate_id, 0) as rate_id, sum(sms_count)::bigint as sms_count,
      sum(amount_micro)::bigint as amount_micro
    from (
      ${all}
      union all select number_id, rate_id, -record_count, -amount_micro from hold_sums
        where cycle_id = ${cycleId} and user_id = ${userId} and settlement = 1 and ${isSeen(period)}
    ) parts group by 1, 2 having sum(sms_count) > 0
  )`
}

function toTrafficLine(line: BillLineRow, period: { cycleId: number; userId: number }): PeriodLine {
  const number = line.number ?? ''
  const rate = line.rate_micro === null ? '' : formatMicro(BigInt(line.rate_micro), 2)
  return {
    number,
    kind: 'traffic',
    reason: '',
    at: null,
    rate,
    smsCount: Number(line.sms_count),
    amount: formatMicro(BigInt(line.amount_micro), 2),
    recordsUrl: recordsUrl({
      ...period,
      settlement: 'bill',
      number,
      rate,
      ...(line.rate_id !== null && { rateId: line.rate_id }),
    }),
    ...noMessages,
  }
}
