import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../test/money/billing.ts'
import { rows } from '../platform/db.ts'
import { openJournalEnvironment, admin, linesOf } from './testing/journal-environment.ts'

const { setup, save } = await openJournalEnvironment()

/** March 2026 with two closed weeks, a payment, a payout, a correction and a hold that is refused. */
async function openMarch() {
  const environment = await openTestBilling()
  const { aPaidBill, call, closeCycle, held, traffic } = environment
  await aPaidBill({ count: 7, amountMicro: 33_333 })
  await traffic({ client: 2, number: 3, count: 3, amountMicro: 500_000 })
  const { id } = await held({ client: 2, number: 1, amountMicro: 40_001 })
  await call(admin, 'PUT', `/api/holds/${id}/confirm`, { body: { reason: 'not real' } })
  await call(admin, 'POST', '/api/billing/adjustments', { body: { userId: 2, amount: '-0.5', reason: 'x' } })
  await closeCycle()
  await save(environment)
  return environment
}

const march = 'from=2026-03-01&to=2026-03-31'

test('the journal has every transaction of the ledger once, and moves what the ledger moves', async () => {
  const { call, db } = await openMarch()
  const answer = await call(4, 'GET', `/api/books/journal?${march}`)
  expect(answer.headers['content-disposition']).toContain('journal-2026-03-01-2026-03-31.csv')
  const [, ...lines] = linesOf(answer.text)
  const sums = new Map<string, bigint>()
  const add = (account: string, micro: bigint) => sums.set(account, (sums.get(account) ?? 0n) + micro)
  for (const cells of lines) {
    const micro = BigInt(Math.round(Number(cells[9]) * 1_000_000))
    expect(micro > 0n).toBe(true)
    add(cells[5] ?? '', -micro)
    add(cells[7] ?? '', micro)
  }
  const ledger = await rows<{ account: string; sum: string }>(
    db,
    sql`select account, sum(amount_micro)::text as sum from ledger_entries group by account order by account`,
  )
  expect(ledger.map(({ account, sum }) => [account, sum])).toEqual(
    [...sums].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([account, sum]) => [account, String(sum)]),
  )
  const transactions = await rows<{ id: string }>(
    db,
    sql`select distinct transaction_id as id from ledger_lines where kind <> 'traffic' order by 1`,
  )
  const named = [...new Set(lines.map((cells) => cells[1]).filter((id) => id !== ''))]
  expect(named.toSorted((a, b) => Number(a) - Number(b))).toEqual(transactions.map(({ id }) => id))
  expect(lines.filter(([, , kind]) => kind === 'traffic')).toHaveLength(2)
})

test('two periods hold what one that spans both holds', async () => {
  const { call } = await openMarch()
  const read = async (span: string) =>
    linesOf((await call(4, 'GET', `/api/books/journal?${span}`)).text).slice(1)
  const usdtOf = (lines: string[][]) => lines.map((cells) => cells.slice(0, 10))
  const parts = [
    ...(await read('from=2026-03-01&to=2026-03-09')),
    ...(await read('from=2026-03-10&to=2026-03-31')),
  ]
  expect(usdtOf(parts)).toEqual(usdtOf(await read(march)))
  expect(await read('from=2026-05-01&to=2026-05-31')).toEqual([])
})

test('an account without a number refuses the export and is named', async () => {
  const environment = await openMarch()
  const { call } = environment
  await save(environment, {
    accounts: setup.accounts.map((each) => (each.account === 'paid' ? { ...each, code: '' } : each)),
  })
  const answer = await call(4, 'GET', `/api/books/journal?${march}`)
  expect([answer.status, answer.body.message]).toEqual([
    422,
    'Give these accounts a number under Books, Journal first: paid.',
  ])
  expect((await call(4, 'GET', `/api/books/journal/check?${march}`)).body).toEqual({ unmapped: ['paid'] })
  await save(environment)
  expect((await call(4, 'GET', `/api/books/journal/check?${march}`)).body).toEqual({ unmapped: [] })
  expect((await call(4, 'GET', `/api/books/journal?${march}`)).status).toBe(200)
})

test.each(['from=2026-03-02&to=2026-03-01', 'from=2024-03-02&to=2026-03-01'])(
  'days that are backwards or too many are refused: %s',
  async (days) => {
    const { call } = await openTestBilling()
    expect((await call(4, 'GET', `/api/books/journal?${days}`)).status).toBe(400)
  },
)

test('support reads the numbers of the accounts and changes none, and each change is in the audit log', async () => {
  const environment = await openTestBilling()
  const { call, db } = environment
  expect((await save(environment, {}, 4)).status).toBe(403)
  expect((await call(1, 'GET', '/api/books/setup')).status).toBe(403)
  expect((await call(4, 'GET', '/api/books/setup')).body).toMatchObject({ updatedBy: '', updatedAt: null })
  expect((await save(environment, { accounts: [{ account: 'paid', code: '54 00' }] })).status).toBe(400)
  expect((await save(environment)).body).toMatchObject({ ...setup, updatedBy: 'u6' })
  expect(
    await rows(db, sql`select action from audit_entries where action like 'books.%' order by id`),
  ).toEqual([{ action: 'books.setup' }])
})

test('a posting of several lines is paired within itself, and a batch of messages is one entry for each client and day', async () => {
  const environment = await openTestBilling()
  const { call, clock, db, ledger } = environment
  await save(environment)
  const { id: cycleId } = await ledger.ensureOpenCycle()
  const line = { cycleId, kind: 'payment', reference: '7' }
  await ledger.post(db, [
    { ...line, userId: 1, account: 'billed', amountMicro: -500_000n },
    { ...line, userId: null, account: 'payout_clearing', amountMicro: -20_000n },
    { ...line, userId: 1, account: 'paid', amountMicro: 520_000n },
  ])
  for (const amount of [30_000, 70_000])
    await sql`insert into ledger_batches (transaction_id, at, cycle_id, user_ids, settlements, amounts_micro)
      values (nextval('transaction_ids'), ${clock.now()}, ${cycleId}, '{1,2,1}', '{1,1,2}', ${[amount, 5, 1]}::bigint[])`.execute(
      db,
    )
  const day = '2026-03-04'
  const [, ...lines] = linesOf((await call(4, 'GET', `/api/books/journal?from=${day}&to=${day}`)).text)
  expect(lines.map((cells) => [cells[2], cells[4], cells[5], cells[7], cells[9]])).toEqual([
    ['traffic', 'u1', 'traffic_expense', 'payable', '0.100002'],
    ['traffic', 'u2', 'traffic_expense', 'payable', '0.00001'],
    ['payment', 'u1', 'billed', 'paid', '0.50'],
    ['payment', 'u1', 'payout_clearing', 'paid', '0.02'],
  ])
})
