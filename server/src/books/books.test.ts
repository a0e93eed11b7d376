import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ledgerOf, openBills } from '../../test/money/bills-on-chain.ts'
import { openTestBilling } from '../../test/money/billing.ts'

type Environment = Awaited<ReturnType<typeof openTestBilling>>

/** Every movement of a client, page by page. */
async function movementsOf({ call }: Pick<Environment, 'call'>, client: number, query = '', by = 4) {
  const found = []
  let path: string | undefined = `/api/books/accounts/${client}/movements?order=asc&limit=2${query}`
  while (path !== undefined) {
    const { body, next } = await call(by, 'GET', path)
    found.push(...body)
    path = next
  }
  return found
}

const facts = ({ type, amount, balance }: { type: string; amount: string; balance: string }) => [
  type,
  amount,
  balance,
]

test('an account shows a bill, its partial payment, its rest and what is earned since, and each leads to its source', async () => {
  const { call, check, clock, cycle, pay, send, traffic } = await openBills({
    client: 1,
    count: 10,
    amountMicro: 50_000,
  })
  send('1', 300_000n)
  await pay(1, '1')
  await check()
  const adjustment = { userId: 1, amount: '-0.05', reason: 'counted twice' }
  await call(6, 'POST', '/api/billing/adjustments', { body: adjustment })
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  const account = (await call(4, 'GET', '/api/books/accounts/1')).body
  expect(account).toMatchObject({
    userName: 'u1',
    balance: '0.20',
    billed: '0.20',
    days7: '0.20',
    older: '0.00',
    credit: '0.00',
    unbilled: '0.10',
    held: '0.00',
    received: '0.30',
    span: { opening: '0.00', added: '0.50', settled: '-0.30', closing: '0.20' },
  })
  const movements = await movementsOf({ call }, 1)
  expect(movements.map(facts)).toEqual([
    ['bill', '0.50', '0.50'],
    ['payment', '-0.30', '0.20'],
    ['adjustment', '0.00', '0.20'],
  ])
  expect(movements).toMatchObject([
    { periodId: `${cycle.id}-1`, unbilledAmount: '-0.50', at: cycle.endsAt.toISOString() },
    {
      periodId: `${cycle.id}-1`,
      receivedAmount: '0.30',
      transactionHash: '1'.repeat(64),
      at: clock.now().toISOString(),
    },
    { unbilledAmount: '-0.05', note: 'counted twice' },
  ])
})

test('a surplus kept as credit and used for the next bill is named on both sides', async () => {
  const { call, check, closeCycle, decidePayment, pay, send, traffic } = await openBills({
    client: 1,
    count: 10,
    amountMicro: 50_000,
  })
  send('2', 600_000n)
  const { body } = await pay(1, '2')
  await check()
  await decidePayment(body.paymentId, { action: 'accept', difference: 'credit', reason: 'keep it' })
  await traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000 })
  const second = await closeCycle()
  expect((await movementsOf({ call }, 1)).map(facts)).toEqual([
    ['bill', '0.50', '0.50'],
    ['payment', '-0.50', '0.00'],
    ['credit', '-0.10', '-0.10'],
    ['bill', '0.50', '0.40'],
    ['credit_used', '0.00', '0.40'],
  ])
  expect((await movementsOf({ call }, 1, '&type=credit_used'))[0]).toMatchObject({
    creditAmount: '-0.10',
    periodId: `${second.id}-1`,
  })
})

test('a credit note shows with the words for the client, not with those for staff', async () => {
  const { aBill, call } = await openTestBilling()
  const { id } = await aBill()
  const body = { amount: '0.10', reason: 'carrier X cheats', clientReason: 'Test messages' }
  const requested = await call(6, 'POST', `/api/billing/periods/${id}/credit-notes`, { body })
  expect([requested.status, requested.body.message]).toEqual([201, undefined])
  const own = await call(1, 'GET', '/api/billing/account/movements')
  expect(own.body[0]).toMatchObject({
    type: 'credit_note',
    amount: '-0.10',
    note: 'Test messages',
    periodId: id,
  })
  expect(own.text).not.toContain('carrier X')
})

test('days cut an account in parts that add up', async () => {
  const { aPaidBill, call, closeCycle, clock, traffic } = await openTestBilling()
  await aPaidBill()
  const between = clock.now().toISOString().slice(0, 10)
  await traffic({ client: 1, number: 3, count: 1, amountMicro: 70_000 })
  const last = await closeCycle()
  const spanOf = async (query: string) => (await call(1, 'GET', `/api/billing/account?${query}`)).body.span
  expect(await spanOf(`to=${between}`)).toEqual({
    opening: '0.00',
    added: '0.50',
    settled: '-0.50',
    closing: '0.00',
  })
  const day = last.endsAt.toISOString().slice(0, 10)
  expect(await spanOf(`from=${day}`)).toEqual({
    opening: '0.00',
    added: '0.07',
    settled: '0.00',
    closing: '0.07',
  })
  expect((await movementsOf({ call }, 1, `&from=${day}`)).map(facts)).toEqual([['payout', '0.07', '0.07']])
  expect(await movementsOf({ call }, 1, `&from=2030-01-01`)).toEqual([])
})

test('a client reads his own account only, and a stranger gets nothing', async () => {
  const { aBill, call } = await openTestBilling()
  await aBill()
  expect((await call(1, 'GET', '/api/billing/account')).body.balance).toBe('0.50')
  expect((await call(2, 'GET', '/api/billing/account')).body.balance).toBe('0.00')
  expect((await call(2, 'GET', '/api/billing/account/movements')).body).toEqual([])
  for (const path of ['', '/movements', '/movements/export'])
    expect((await call(2, 'GET', `/api/books/accounts/1${path}`)).status).toBe(403)
  expect((await call(4, 'GET', '/api/books/accounts/999')).status).toBe(404)
  expect((await call(4, 'GET', '/api/books/accounts/999/movements')).status).toBe(404)
  expect((await call(4, 'GET', '/api/books/accounts/1/movements?cursor=bm8')).status).toBe(400)
  expect((await call(4, 'GET', '/api/books/accounts/1/movements?from=2026-02-30')).status).toBe(400)
})

test('the list of accounts has every client, sorts by any sum page by page, and its totals are the ledger’s', async () => {
  const { aClosedCycle, call, db } = await openTestBilling()
  await aClosedCycle(
    { client: 1, count: 1 },
    { client: 2, count: 3 },
    { client: 2, number: 3, count: 1, amountMicro: 500_000 },
  )
  const names = []
  let path: string | undefined = '/api/books/accounts?limit=2&sort=balance'
  while (path !== undefined) {
    const { body, next } = await call(4, 'GET', path)
    names.push(
      ...body.map(({ userName, balance }: { userName: string; balance: string }) => [userName, balance]),
    )
    path = next
  }
  expect(names).toEqual([
    ['u2', '0.65'],
    ['u1', '0.05'],
    ['u3', '0.00'],
  ])
  const ledger = await ledgerOf(db)
  const { body } = await call(4, 'GET', '/api/books/accounts/totals')
  expect(body).toMatchObject({
    clientCount: 3,
    balance: '0.70',
    billed: '0.70',
    days7: '0.70',
    credit: '0.00',
  })
  expect(ledger['billed']).toBe('700000')
  expect((await call(4, 'GET', '/api/books/accounts?search=U2')).body).toHaveLength(1)
  expect((await call(4, 'GET', '/api/books/accounts?show=owed')).body).toHaveLength(2)
})

test('amounts of 10^18 millionths are paged and added up exactly', async () => {
  const { call, db, ledger } = await openTestBilling()
  const { id } = await ledger.ensureOpenCycle()
  const largest = 5n * 10n ** 18n - 1n
  for (const user of [1, 2, 3])
    await sql`insert into billing_periods (cycle_id, user_id, sms_count, total_micro, bill_sent_at, payable_from)
      values (${id}, ${user}, 1, ${largest}, now(), now())`.execute(db)
  for (const userId of [1, 2, 3])
    await ledger.post(db, [
      {
        cycleId: id,
        userId,
        account: 'payable',
        amountMicro: -largest,
        kind: 'bill',
        reference: `${id}-${userId}`,
      },
      {
        cycleId: id,
        userId,
        account: 'billed',
        amountMicro: largest,
        kind: 'bill',
        reference: `${id}-${userId}`,
      },
    ])
  const first = await call(4, 'GET', '/api/books/accounts?limit=1&sort=balance')
  const second = await call(4, 'GET', first.next ?? '')
  expect([first.body[0].userName, second.body[0].userName]).toEqual(['u3', 'u2'])
  expect(second.body[0].balance).toBe('4999999999999.999999')
  expect((await call(4, 'GET', '/api/books/accounts/totals')).body.balance).toBe('14999999999999.999997')
  expect((await movementsOf({ call }, 1)).map(facts)).toEqual([
    ['bill', '4999999999999.999999', '4999999999999.999999'],
  ])
})

test('the exports have what the lists have, and no cell is a formula', async () => {
  const { aPaidBill, call, db } = await openTestBilling()
  await sql`update users set username = '=cmd()' where id = 1`.execute(db)
  await aPaidBill()
  const adjustment = { userId: 1, amount: '1', reason: '=1+1' }
  await call(6, 'POST', '/api/billing/adjustments', { body: adjustment })
  const movements = (await call(1, 'GET', '/api/billing/account/movements/export')).text.trim().split('\r\n')
  expect(movements).toHaveLength(4)
  expect(movements[1]).toContain(',bill,0.50,0.50,-0.50,')
  expect(movements[2]).toContain(',payment,-0.50,0.00,')
  expect(movements[3]).toContain(",'=1+1")
  expect((await call(4, 'GET', '/api/books/accounts/1/movements/export')).text.trim().split('\r\n')).toEqual(
    movements,
  )
  expect((await call(4, 'GET', '/api/books/accounts/export')).text).toContain("\r\n'=cmd(),0.00,")
  expect((await call(4, 'GET', '/api/books/accruals/export')).text).toContain(
    "\r\n'=cmd(),1.00,0.00,0.00,0.00,1.00,0.50",
  )
})

/** What is owed to everybody now, by the ledger alone. */
async function truthNow({ db }: Pick<Environment, 'db'>) {
  const sums = await ledgerOf(db)
  const of = (account: string) => BigInt(sums[account] ?? 0)
  return [of('payable'), of('held'), of('billed'), of('credit'), of('paid')].map(String)
}

test('accruals of any past instant are what was true then', async () => {
  const environment = await openTestBilling()
  const { aPayee, call, clock, closeCycle, held, ledger, traffic } = environment
  await ledger.ensureOpenCycle()
  await aPayee(1)
  const known: { at: string; truth: string[] }[] = []
  /** Does something, and notes what is true a second later. */
  async function step(act: () => Promise<unknown>) {
    await act()
    clock.advance(1_000)
    known.push({ at: clock.now().toISOString(), truth: await truthNow(environment) })
    clock.advance(60_000)
  }
  let holdId = ''
  await step(() => traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000 }))
  await step(async () => (holdId = (await held({ client: 1, number: 2, amountMicro: 40_000 })).id))
  await step(() => traffic({ client: 2, number: 3, count: 2, amountMicro: 500_000 }))
  await step(closeCycle)
  await step(() => call(6, 'PUT', `/api/holds/${holdId}/release`, { body: { reason: 'fine' } }))
  await step(() => traffic({ client: 1, number: 1, count: 7, amountMicro: 50_000 }))
  await step(async () => {
    const [bill] = (await call(4, 'GET', '/api/billing/all-periods?status=sent_to_support')).body
    await call(4, 'PUT', `/api/billing/periods/${bill.id}/pay`, { body: { transactionHash: 'a'.repeat(64) } })
  })
  await step(() =>
    call(6, 'POST', '/api/billing/adjustments', { body: { userId: 1, amount: '-9', reason: 'x' } }),
  )
  await step(closeCycle)
  for (const { at, truth } of known) {
    const { totals, clients } = (await call(4, 'GET', `/api/books/accruals?at=${at}`)).body
    const { unbilled, held: heldBack, billed, credit, paid } = totals
    const micro = (amount: string) => String(Math.round(Number(amount) * 1_000_000))
    expect([unbilled, heldBack, billed, credit, paid].map(micro), at).toEqual(truth)
    const sum = clients.reduce((all: number, { owed }: { owed: string }) => all + Number(owed), 0)
    expect(sum, at).toBeCloseTo(Number(totals.owed), 6)
  }
  // Before the first message nothing was owed, and what has not come yet is now.
  const before = await call(4, 'GET', '/api/books/accruals?at=2026-03-01T00:00:00Z')
  expect(before.body.totals.owed).toBe('0.00')
  const now = (await call(4, 'GET', '/api/books/accruals')).body.totals
  expect((await call(4, 'GET', '/api/books/accruals?at=2099-01-01T00:00:00Z')).body.totals).toEqual(now)
})

test('what a void bill, a waiver, a refused hold and a payment by hand do to an account is in its movements', async () => {
  const { aBill, aClosedCycle, call, closeCycle, db, held } = await openTestBilling()
  const { id } = await aBill()
  await call(6, 'PUT', `/api/billing/periods/${id}/void`, {
    body: { reason: 'wrong carrier', clientReason: '' },
  })
  const hold = await held({ client: 1, number: 1, amountMicro: 40_000 })
  await call(6, 'PUT', `/api/holds/${hold.id}/confirm`, { body: { reason: 'not real' } })
  await closeCycle()
  const byHand = { userId: 1, amount: '0.20', status: 'confirmed', notes: 'in cash' }
  expect((await call(6, 'POST', '/api/payments', { body: byHand })).status).toBe(201)
  await aClosedCycle()
  const movements = await movementsOf({ call }, 1)
  expect(movements.map(facts)).toEqual([
    ['bill', '0.50', '0.50'],
    ['void', '-0.50', '0.00'],
    ['carry', '0.00', '0.00'],
    ['refusal', '0.00', '0.00'],
    ['bill', '0.50', '0.50'],
    ['payment', '0.00', '0.50'],
    ['bill', '0.50', '1.00'],
  ])
  const sum = (name: string) =>
    movements.reduce((all, each) => all + Math.round(Number(each[name]) * 1_000_000), 0)
  const ledger = await ledgerOf(db, 1)
  expect([sum('amount'), sum('receivedAmount')].map(String)).toEqual([ledger['billed'], ledger['paid']])
  // Two cycles of ten messages of 0.05 and the held one, less what is not billed now.
  expect(sum('unbilledAmount')).toBe(-1_040_000)
})
