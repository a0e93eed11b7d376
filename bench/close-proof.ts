// Holds what a close wrote against the records themselves, what debtors were set off, and some statements against their own
// chain.
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { sql } from 'kysely'
import { verifyFile } from '@tollgate/server/statements/index.ts'
import { readStatement } from '@tollgate/server/statements/read-statement.ts'
import { row, rows, type Db } from '@tollgate/server/platform/db.ts'

const count = (value: number) => Math.round(value).toLocaleString('en-GB')

const checkedStatements = 50

const debtorsOf = sql`debtors as (
  select user_id, sum(amount_micro) as micro from ledger_lines
  where kind = 'adjustment' and account = 'payable' group by user_id
)`

/** Whether a debtor's payouts were lowered by what the records say he still owes. */
export async function debtsProof(db: Db): Promise<string> {
  const found = await row<{ debtors: number; setOff: string; difference: string }>(
    db,
    sql`with ${debtorsOf}, earned as (
          select client_id as user_id, coalesce(sum(amount_micro) filter (where settlement = 1), 0) as bill,
            coalesce(sum(amount_micro) filter (where settlement = 2), 0) as payouts
          from records where cycle_id = (select cycle_id from cycle_bills) and client_id in (select user_id from debtors)
          group by 1
        ), expected as (
          select user_id, least(greatest(-(e.bill + d.micro), 0), e.payouts) as micro from earned e join debtors d using (user_id)
        ), made as (select user_id, sum(amount_micro) as micro from set_offs where source = 'carry' group by 1)
        select count(*)::int as debtors, coalesce(sum(m.micro), 0)::text as "setOff",
          coalesce(sum(abs(coalesce(m.micro, 0) - coalesce(x.micro, 0))), 0)::text as difference
        from expected x full join made m using (user_id)`,
  )
  const setOff = (Number(found?.setOff ?? 0) / 1_000_000).toFixed(2)
  return `${count(found?.debtors ?? 0)} debtors: ${setOff} USDT set off against their payouts, ${found?.difference ?? '?'} millionths from what the records say.`
}

/** Holds what the close wrote against the records themselves, and some statements against their own chain. */
export async function billsProof(db: Db): Promise<string> {
  const found = await row<{ bills: number; payouts: number; statements: number; difference: string }>(
    db,
    sql`with ${debtorsOf}, summed as (
          select client_id, settlement, sum(amount_micro) as micro from records
          where cycle_id = (select cycle_id from cycle_bills) and settlement in (1, 2) and client_id is not null
            and client_id not in (select user_id from debtors)
          group by 1, 2
        ), written as (
          select user_id, 1 as settlement, total_micro as micro from billing_periods
          union all select user_id, 1, amount_micro from billing_lines
          union all select user_id, 2, 2 * amount_micro from payouts
        ), sums as (
          select user_id, settlement, sum(micro) as micro from written
          where user_id not in (select user_id from debtors) group by 1, 2
        )
        select (select count(*)::int from billing_periods) as bills, (select count(*)::int from payouts) as payouts,
          (select count(*)::int from statements) as statements,
          (select coalesce(sum(abs(coalesce(s.micro, 0) - 2 * coalesce(r.micro, 0))), 0)::text
            from sums s full join summed r on (r.client_id, r.settlement) = (s.user_id, s.settlement)) as difference`,
  )
  let faults = 0
  const sample = await rows<{ cycle_id: number; user_id: number }>(
    db,
    sql`select cycle_id, user_id from statements order by md5(user_id::text) limit ${checkedStatements}`,
  )
  for (const { cycle_id: cycleId, user_id: userId } of sample) {
    const { stream } = await readStatement(db, cycleId, userId)
    faults += (await verifyFile(createInterface({ input: Readable.from(stream) }))).faults.length
  }
  return `${count(found?.bills ?? 0)} bills, ${count(found?.payouts ?? 0)} payouts, ${count(found?.statements ?? 0)} statements. Bills, and again their lines and payouts, against a sum over the records themselves: differences of ${found?.difference ?? '?'} millionths in all. Of the statements ${sample.length} were read and verified: ${faults} faults.`
}
