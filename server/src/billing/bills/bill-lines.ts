// The lines of a bill, each with a link to the records behind it.
import { createdBetween } from '../../records/index.ts'
import { sql } from 'kysely'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../../platform/db.ts'
import { heldAtClose } from '../close/store.ts'
import { recordsUrl } from '../rules.ts'
import { adjustmentLines } from './adjustment-lines.ts'

interface BillLineRow {
  readonly number: string | null
  readonly rate_micro: string | null
  readonly sms_count: string
  readonly amount_micro: string
  readonly rate_id: number | null
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
    ...(await adjustmentLines(db, cycleId, userId, isOpen ? undefined : remainder)),
  ]
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
    messages: [],
  }
}
