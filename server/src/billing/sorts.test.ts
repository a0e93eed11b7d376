// Years of bills and payments, sorted by staff: a page must not cost a sort of them all.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/environment/database.ts'
import { row, type Db } from '../platform/db.ts'
import { listPayments } from './payments/payment-views.ts'
import { listPeriods } from './bills/period-views.ts'

const { db } = await openTestDatabase()

async function fill(filled: Db): Promise<void> {
  for (const statement of [
    sql`insert into users (username, email, first_name, last_name, password_hash, role)
        select 'client' || i, 'client' || i || '@example.com', '', '', '-', 'user' from generate_series(1, 300) i`,
    sql`insert into cycles (starts_at, ends_at, closed_at)
        select t, t + interval '7 days', t + interval '7 days'
        from generate_series(timestamptz '2024-01-01', '2024-12-23', interval '7 days') t`,
    sql`insert into cycle_bills (cycle_id, itemised_at) select id, now() from cycles where closed_at is not null`,
    // Several of one amount, so that pages must go on within it.
    sql`insert into billing_periods
          (cycle_id, user_id, sms_count, total_micro, received_micro, status, bill_sent_at, payable_from, paid_at, usdt_address)
        select c.id, u.id, 1 + (c.id * 7919 + u.id) % 997, m, m, 'paid',
          c.ends_at, c.ends_at, c.ends_at, 'T'
        from cycles c cross join users u cross join lateral (select 1000000 * (1 + (c.id * 7919 + u.id) % 1009)) amount (m)
        where c.closed_at is not null`,
    sql`insert into payments (user_id, amount_micro, status, cycle_id, created_at)
        select user_id, total_micro, 'confirmed', cycle_id, bill_sent_at from billing_periods`,
    sql`analyze`,
  ])
    await statement.execute(filled)
}
await fill(db)

const scansOf = async (index: string) =>
  Number(
    (
      await row<{ count: string }>(
        db,
        sql`select idx_scan as count from pg_stat_user_indexes where indexrelname = ${index}`,
      )
    )?.count,
  )

const lists = [
  [
    'bills by amount',
    'billing_periods_total_idx',
    async (order: 'asc' | 'desc', cursor?: string) => {
      const page = await listPeriods(db, { now: new Date() }, { sort: 'totalCost', order, limit: 50, cursor })
      return { next: page.next, rows: page.items.map(({ id, totalCost }) => ({ id, by: Number(totalCost) })) }
    },
  ],
  [
    'bills by count',
    'billing_periods_count_idx',
    async (order: 'asc' | 'desc', cursor?: string) => {
      const page = await listPeriods(
        db,
        { now: new Date() },
        { sort: 'totalSmsCount', order, limit: 50, cursor },
      )
      return { next: page.next, rows: page.items.map(({ id, totalSmsCount }) => ({ id, by: totalSmsCount })) }
    },
  ],
  [
    'payments by amount',
    'payments_amount_idx',
    async (order: 'asc' | 'desc', cursor?: string) => {
      const page = await listPayments(db, {}, { sort: 'amount', order, limit: 50, cursor })
      return { next: page.next, rows: page.items.map(({ id, amount }) => ({ id, by: Number(amount) })) }
    },
  ],
] as const

test.each(lists)('%s come from their index, in order, page after page', async (_, index, read) => {
  for (const order of ['asc', 'desc'] as const) {
    const first = await read(order)
    const second = await read(order, first.next)
    const both = [...first.rows, ...second.rows]
    expect(new Set(both.map(({ id }) => id)).size).toBe(100)
    const values = both.map(({ by }) => by)
    expect(values).toEqual(values.toSorted((a, b) => (order === 'asc' ? a - b : b - a)))
  }
  // The statistics come a moment later, with the next call of each connection.
  const counted = async () => {
    await read('desc')
    return scansOf(index)
  }
  await expect.poll(counted, { interval: 500 }).toBeGreaterThan(0)
})
