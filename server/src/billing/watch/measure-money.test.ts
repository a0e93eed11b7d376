import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { registry } from '../../platform/metrics.ts'
import { MoneyGauges } from './measure-money.ts'

const { db, call, traffic, closeCycle, held } = await openTestBilling()
const gauges = new MoneyGauges(db)

/** The samples as a scrape gives them. */
async function scraped(by = gauges): Promise<Record<string, number>> {
  await by.run()
  const text = await registry.metrics()
  const lines = text.split('\n').filter((line) => /^tollgate_(billing_periods|holds_microusdt)/.test(line))
  return Object.fromEntries(
    lines.map((line) => [/status="(\w+)"/.exec(line)?.[1] ?? 'held', Number(line.split(' ').at(-1))]),
  )
}

const hold = async () => (await held({ client: 3, number: 2, amountMicro: 70_000 })).id

test('the metrics of bills and holds agree with the lists, from one cycle to the next', async () => {
  expect(await scraped()).toEqual({ pending: 0, sent_to_support: 0, paid: 0, failed: 0, void: 0, held: 0 })
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  await traffic({ client: 2, number: 1, count: 3, amountMicro: 50_000 })
  const holds = [await hold(), await hold()]
  expect(await scraped()).toEqual({
    pending: 2,
    sent_to_support: 0,
    paid: 0,
    failed: 0,
    void: 0,
    held: 140_000,
  })

  const { id } = await closeCycle()
  await call(4, 'PUT', `/api/holds/${holds[0]}/confirm`, { body: { reason: 'sent twice' } })
  await sql`update billing_periods set usdt_address = 'T' where user_id = 1`.execute(db)
  const paid = await call(4, 'PUT', `/api/billing/periods/${id}-1/pay`, {
    body: { transactionHash: 'a'.repeat(64) },
  })
  expect(paid.status).toBe(200)
  expect(await scraped()).toEqual({
    pending: 0,
    sent_to_support: 1,
    paid: 1,
    failed: 0,
    void: 0,
    held: 70_000,
  })

  await sql`update billing_periods set status = 'failed' where user_id = 2`.execute(db)
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  await closeCycle()
  const now = { pending: 0, sent_to_support: 1, paid: 1, failed: 1, void: 0, held: 70_000 }
  expect(await scraped()).toEqual(now)
  // A process that starts anew counts the same.
  expect(await scraped(new MoneyGauges(db))).toEqual(now)
})
