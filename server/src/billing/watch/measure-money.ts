// Prometheus metrics of bills and holds. A job reads them, not the scrape, and it reads only what is not settled yet: the
// bills of a cycle are counted once, because no bill is added to or removed from a cycle that has its bills.
import { Gauge } from 'prom-client'
import { sql } from 'kysely'
import { billingStatuses, type BillingStatus } from '@tollgate/contract/vocabulary.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { registry } from '../../platform/metrics.ts'
import { transaction } from '../../platform/transaction.ts'
import { cycleSums } from '../close/cycle-sums.ts'

const periods = new Gauge({
  name: 'tollgate_billing_periods',
  help: 'Billing periods of all clients by status; pending are open, or closed a moment ago.',
  labelNames: ['status'],
  registers: [registry],
})
const held = new Gauge({
  name: 'tollgate_holds_microusdt',
  help: 'What is held back until somebody decides on it, in millionths of a USDT.',
  registers: [registry],
})

/** One for each process: it keeps the number of bills up to the last cycle that it counted. */
export class MoneyGauges {
  readonly #db: Db
  #countedTo = 0
  #billCount = 0

  constructor(db: Db) {
    this.#db = db
  }

  async run(): Promise<void> {
    // One snapshot, or a bill that is made between two reads would be counted as paid.
    const { counts, bills, heldMicro } = await transaction(
      this.#db,
      (reader) => readFigures(reader, this.#countedTo),
      { isolation: 'repeatable read' },
    )
    this.#billCount += bills.count
    this.#countedTo = bills.upTo
    const unpaid =
      (counts.get('sent_to_support') ?? 0) + (counts.get('failed') ?? 0) + (counts.get('void') ?? 0)
    counts.set('paid', this.#billCount - unpaid)
    for (const status of billingStatuses) periods.set({ status }, counts.get(status) ?? 0)
    held.set(heldMicro)
  }
}

async function readFigures(reader: Db, countedTo: number) {
  return {
    counts: new Map<BillingStatus, number>([
      ...(await countUnpaid(reader)),
      ['pending', await countPending(reader)],
    ]),
    bills: await countBills(reader, countedTo),
    heldMicro: await sumOpenHolds(reader),
  }
}

async function countUnpaid(db: Db): Promise<[BillingStatus, number][]> {
  const found = await rows<{ status: BillingStatus; count: number }>(
    db,
    sql`select status, count(*)::int as count from billing_periods where status <> 'paid' group by status`,
  )
  return found.map(({ status, count }) => [status, count])
}

/** As the lists show them: clients with earnings or corrections in a period that has no bills yet. */
async function countPending(db: Db): Promise<number> {
  const found = await row<{ count: number }>(
    db,
    sql`select count(*)::int as count from cycles c cross join lateral ${cycleSums(sql`c.id`)} sums
        where (c.closed_at is null or not exists (select from cycle_bills k where k.cycle_id = c.id))
          and (sms_count > 0 or total_micro <> 0)`,
  )
  return found?.count ?? 0
}

/** Counts the bills of later cycles than `after`; `upTo` is the last cycle with bills. Cycles get them in order of id. */
async function countBills(db: Db, after: number): Promise<{ count: number; upTo: number }> {
  const found = await row<{ count: number; up_to: number }>(
    db,
    sql`with last as (select coalesce(max(cycle_id), 0) as cycle_id from cycle_bills)
        select cycle_id as up_to,
          (select count(*)::int from billing_periods b where b.cycle_id > ${after} and b.cycle_id <= last.cycle_id) as count
        from last`,
  )
  return { count: found?.count ?? 0, upTo: found?.up_to ?? after }
}

async function sumOpenHolds(db: Db): Promise<number> {
  const found = await db
    .selectFrom('holds')
    .select(sql<string>`coalesce(sum(amount_micro), 0)::text`.as('sum'))
    .where('status', '=', 'open')
    .executeTakeFirst()
  return Number(found?.sum ?? 0)
}
