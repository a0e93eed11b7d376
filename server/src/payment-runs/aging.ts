// What clients are owed, by age: since the bill was sent or the payout was made.
import { sql, type RawBuilder } from 'kysely'
import type { Aging } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { row, rows, type Db } from '../platform/db.ts'
import type { BillingDeps } from '../billing/index.ts'

const clientsMax = 500

/** Sums by age, in millionths. */
export type AgedSums = Aging['totals']

interface ClientSums extends AgedSums {
  readonly user_id: number
  readonly username: string
  readonly debt_count: number
  readonly oldest: Date
  readonly has_address: boolean
}

/** Columns of sums by age in whole days: 0 to 7, 8 to 14, 15 to 30, more; of the view debts as `d`. */
export function sumsAt(now: Date): RawBuilder<unknown> {
  const age = sql`floor(extract(epoch from ${now}::timestamptz - d.owed_since) / 86400)`
  const sum = (condition: RawBuilder<unknown>) =>
    sql`coalesce(sum(d.due_micro) filter (where ${condition}), 0)::text`
  return sql`${sum(sql`${age} <= 7`)} as days7, ${sum(sql`${age} between 8 and 14`)} as days14,
    ${sum(sql`${age} between 15 and 30`)} as days30, ${sum(sql`${age} > 30`)} as older,
    coalesce(sum(d.due_micro), 0)::text as total`
}

const owed = sql`debts d where not d.is_settled and d.due_micro > 0`

/** Sums over all clients, and those of the clients with the oldest debts. */
export async function readAging({ db, clock, settings }: BillingDeps): Promise<Aging> {
  const now = clock.now()
  const afterDays = await settings.overdueAfterDays.get(db)
  const [totals, clients, overdue] = await Promise.all([
    row<AgedSums>(db, sql`select ${sumsAt(now)} from ${owed}`),
    rows<ClientSums>(
      db,
      sql`select d.user_id, u.username, count(*)::int as debt_count, min(d.owed_since) as oldest,
            bool_and(d.usdt_address is not null) as has_address, ${sumsAt(now)}
          from debts d join users u on u.id = d.user_id where not d.is_settled and d.due_micro > 0
          group by d.user_id, u.username order by oldest, d.user_id limit ${clientsMax}`,
    ),
    sumOverdue(db, now, afterDays),
  ])
  if (totals === undefined) throw new Error('A sum came without its row')
  return {
    totals: toSums(totals),
    clients: clients.map((client) => ({
      ...toSums(client),
      userId: client.user_id,
      userName: client.username,
      debtCount: client.debt_count,
      oldestAt: client.oldest.toISOString(),
      hasAddress: client.has_address,
    })),
    overdue: { afterDays, count: overdue.count, amount: formatMicro(BigInt(overdue.micro), 2) },
  }
}

function toSums(sums: AgedSums): Aging['totals'] {
  const amount = (micro: string) => formatMicro(BigInt(micro), 2)
  const { days7, days14, days30, older, total } = sums
  return {
    days7: amount(days7),
    days14: amount(days14),
    days30: amount(days30),
    older: amount(older),
    total: amount(total),
  }
}

/** Debts that may be paid, to an address that is known, for longer than `afterDays`. */
export async function sumOverdue(
  db: Db,
  now: Date,
  afterDays: number,
): Promise<{ readonly count: number; readonly micro: string }> {
  const found = await row<{ count: number; micro: string }>(
    db,
    sql`select count(*)::int as count, coalesce(sum(d.due_micro), 0)::text as micro
        from ${owed} and d.usdt_address is not null
          and d.payable_from <= ${now}::timestamptz - ${afterDays}::int * interval '1 day'`,
  )
  return found ?? { count: 0, micro: '0' }
}
