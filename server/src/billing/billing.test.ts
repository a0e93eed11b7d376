import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addressOf, openTestBilling } from '../../test/money/billing.ts'
import { row, rows } from '../platform/db.ts'
import { composeMoney } from '../compose-money.ts'

const [address, other] = [addressOf(1), addressOf(2)]
const hash = (digit: string) => digit.repeat(64)
const pays = (digit: string) => ({ body: { transactionHash: hash(digit) } })

test('an address is checked; the first is used at once, a change waits and needs a recent sign-in', async () => {
  const { api, call, clock } = await openTestBilling()
  const profile = (usdtAddress: string) => ({ body: { fullName: 'Ada', usdtAddress, email: '' } })
  for (const bad of [address.toLowerCase(), `${address.slice(0, -1)}x`, '0x1234', '']) {
    const answer = await call(1, 'PUT', '/api/user/profile', profile(bad))
    expect(answer.status).toBe(400)
    expect(answer.body.fields).toHaveProperty('usdtAddress')
  }
  expect((await call(1, 'PUT', '/api/user/profile', profile(address))).body.usdtAddress).toBe(address)
  const authenticatedAt = new Date(clock.now().getTime() - 600_000)
  const cookie = api.signIn({ userId: 1, username: 'u1', role: 'user', authenticatedAt })
  const refused = await call(1, 'PUT', '/api/user/profile', { cookie, ...profile(other) })
  expect([refused.status, refused.body.code]).toEqual([403, 'reauthenticate'])
  const changed = await call(1, 'PUT', '/api/user/profile', profile(other))
  expect(changed.body).toMatchObject({ usdtAddress: address, pendingUsdtAddress: other })
  // Entering the address in force again cancels the change.
  expect((await call(1, 'PUT', '/api/user/profile', profile(address))).body.pendingUsdtAddress).toBeNull()
})

/** An open period: client 1 earns 0.650005 by two numbers, 1.50 by a payout, and has 0.20 held. Client 2 earns 0.05. */
async function openPeriod() {
  const environment = await openTestBilling()
  const { traffic } = environment
  await traffic({ client: 1, number: 1, count: 10, amountMicro: 50_000 })
  await traffic({ client: 1, number: 2, count: 5, amountMicro: 30_001 })
  await traffic({ client: 1, number: 1, count: 4, amountMicro: 50_000, isHeld: true })
  await traffic({ client: 1, number: 3, count: 3, amountMicro: 500_000 })
  await traffic({ client: 2, number: 4, count: 2, amountMicro: 500_000 })
  await traffic({ client: 2, number: 1, count: 1, amountMicro: 50_000 })
  return environment
}

test('the open period shows live figures and cannot be paid', async () => {
  const { call } = await openPeriod()
  const [open, ...rest] = (await call(1, 'GET', '/api/billing/periods')).body
  expect(rest).toEqual([])
  expect(open).toMatchObject({
    status: 'pending',
    totalSmsCount: 15,
    totalCost: '0.650005',
    costPerSms: '0.043334',
  })
  const lines = (await call(1, 'GET', `/api/billing/periods/${open.id}/lines`)).body
  expect(lines.map(({ amount }: { amount: string }) => amount)).toEqual([
    '0.50',
    '0.150005',
    // What is held.
    '0.00',
  ])
  expect((await call(4, 'PUT', `/api/billing/periods/${open.id}/pay`, pays('a'))).status).toBe(409)
  expect((await call(2, 'GET', `/api/billing/periods/${open.id}/lines`)).status).toBe(404)
  expect((await call(4, 'PUT', '/api/billing/periods/99-1/pay', pays('a'))).status).toBe(404)
})

test.each([1, 4])('person %i, without traffic, opens the period that the own list shows', async (who) => {
  const { call, ledger } = await openTestBilling()
  await ledger.ensureOpenCycle()
  const [open] = (await call(who, 'GET', '/api/billing/periods')).body
  expect((await call(who, 'GET', `/api/billing/periods/${open.id}`)).body).toMatchObject({
    id: open.id,
    status: 'pending',
    totalSmsCount: 0,
  })
})

test('a close that crashes leaves nothing, and two workers close once', async () => {
  const { aPayee, billing, call, clock, db, deps, ledger } = await openPeriod()
  await aPayee(1)
  clock.set((await ledger.ensureOpenCycle()).endsAt)
  const crashing = composeMoney({
    ...deps,
    ledger: { ...ledger, postRows: () => Promise.reject(new Error('power cut')) },
    settings: { ...deps.settings, define: ({ key, fallback }) => ({ key, get: async () => fallback }) },
  })
  await expect(crashing.closeDueCycles()).rejects.toThrow('power cut')
  expect(await rows(db, sql`select * from billing_periods`)).toEqual([])
  await Promise.all(Array.from({ length: 5 }, () => billing.closeDueCycles()))
  await billing.closeDueCycles()
  const bills = (await call(4, 'GET', '/api/billing/all-periods')).body
  expect(bills).toHaveLength(2)
  expect(bills[1]).toMatchObject({
    userId: 1,
    status: 'sent_to_support',
    totalCost: '0.650005',
    usdtAddress: address,
  })
  const payouts = (await call(4, 'GET', '/api/payouts')).body
  expect(
    payouts.map(({ number, amount }: Record<string, string>) => `${number} ${amount}`).toSorted(),
  ).toEqual(['447700000003 1.50', '447700000004 1.00'])
  const difference = await row(
    db,
    sql`select (select sum(total_micro) from billing_periods) - (select sum(amount_micro) from billing_lines) as of_lines,
      (select sum(amount_micro) from ledger_entries) as of_ledger,
      (select sum(amount_micro) from ledger_entries where account = 'payable') as still_payable`,
  )
  expect(difference).toEqual({ of_lines: '0', of_ledger: '0', still_payable: '0' })
})

test('a late record falls into the open period and leaves the bill alone', async () => {
  const { aClosedCycle, call, traffic } = await openTestBilling()
  await aClosedCycle()
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 50_000 })
  const [open, closed] = (await call(1, 'GET', '/api/billing/periods')).body
  expect([open.status, open.totalSmsCount, closed.totalSmsCount]).toEqual(['pending', 1, 10])
})

test('a bill without an address waits for the first one', async () => {
  const { aClosedCycle, aPayee, call } = await openTestBilling()
  const { id } = await aClosedCycle({ client: 2 })
  const path = `/api/billing/periods/${id}-2/pay`
  expect((await call(5, 'PUT', path, pays('b'))).status).toBe(422)
  await aPayee(2)
  expect((await call(5, 'PUT', path, pays('b'))).body).toMatchObject({ status: 'paid', usdtAddress: other })
})

test('a payout is processed once', async () => {
  const { aClosedCycle, call } = await openTestBilling()
  await aClosedCycle({ number: 3 }, { client: 2, number: 4 })
  const [{ id }] = (await call(4, 'GET', '/api/payouts')).body
  const answers = await Promise.all(
    [4, 5, 6, 4, 5].map((userId) => call(userId, 'PUT', `/api/payouts/${id}/process`, { body: {} })),
  )
  expect(answers.map(({ status }) => status).toSorted((one, two) => one - two)).toEqual([
    200, 409, 409, 409, 409,
  ])
  expect((await call(4, 'GET', '/api/payouts/summary')).body.pendingCount).toBe(1)
})

test('above the limit a second person gives the same hash', async () => {
  const { aBill, call } = await openTestBilling()
  const { id: bill, path } = await aBill({ count: 100, amountMicro: 2_000_000 })
  const pay = (userId: number, digit: string) => call(userId, 'PUT', `${path}/pay`, pays(digit))
  expect((await pay(4, 'c')).body).toMatchObject({
    status: 'sent_to_support',
    approval: { requestedBy: 'u4' },
  })
  // The client reads that it waits, and not for whom.
  const own = (await call(1, 'GET', '/api/billing/periods')).body.find(
    ({ id }: { id: string }) => id === bill,
  )
  expect(own.approval).toMatchObject({ requestedBy: '' })
  expect((await pay(4, 'c')).status).toBe(409)
  expect((await pay(5, 'd')).status).toBe(409)
  expect((await pay(5, 'c')).body).toMatchObject({ status: 'paid', approval: null })
})

test('an unallocated payment is recorded, and its hash is used up', async () => {
  const { aPayee, call } = await openTestBilling()
  await aPayee(1)
  const body = { userId: 1, amount: '12.5', transactionHash: hash('e'), status: 'confirmed' }
  const made = await call(4, 'POST', '/api/payments', { body })
  expect([made.status, made.body.amount, made.body.usdtAddress]).toEqual([201, '12.50', address])
  expect((await call(4, 'POST', '/api/payments', { body })).status).toBe(409)
  for (const field of [
    { amount: '-1' },
    { amount: '0' },
    { userId: 999 },
    { usdtAddress: 'T' },
    { status: 'x' },
  ]) {
    const bad = { ...body, ...field, transactionHash: '' }
    expect((await call(4, 'POST', '/api/payments', { body: bad })).status).toBe(400)
  }
  expect((await call(5, 'GET', '/api/payments/all?search=u1')).body).not.toHaveLength(0)
})

test('sorted by due, unpaid bills come first, the oldest at the top, over pages, and the sums agree', async () => {
  const { aClosedCycle, aPaidBill, call, db, ledger, traffic } = await openTestBilling()
  await aPaidBill({ client: 3 })
  await aClosedCycle({ client: 2, count: 1 })
  await aClosedCycle({ client: 1, count: 2 })
  await traffic({ client: 1, number: 1, count: 3, amountMicro: 50_000 })
  await traffic({ client: 1, number: 1, count: 4, amountMicro: 50_000, isHeld: true })
  const states: string[] = []
  const ids: string[] = []
  let path: string | undefined = '/api/billing/all-periods?sort=due&limit=2'
  while (path !== undefined) {
    const page = await call(4, 'GET', path)
    states.push(...page.body.map(({ status }: { status: string }) => status))
    ids.push(...page.body.map(({ id }: { id: string }) => id))
    path = page.next
  }
  expect(new Set(ids).size).toBe(ids.length)
  const [longest = 0, next = 0] = ids.map((id) => Number(id.split('-')[0]))
  expect(longest).toBeLessThan(next)
  expect(states).toEqual(['sent_to_support', 'sent_to_support', 'pending', 'paid'])
  const { body } = await call(4, 'GET', '/api/billing/summary')
  // Nobody has given an address yet.
  expect(body.ready).toEqual({ count: 0, amount: '0.00', oldestAt: null })
  expect(body.open).toMatchObject({ clientCount: 1, smsCount: 3, amount: '0.15' })
  expect(body.paid).toMatchObject({ count: 1, verifiedCount: 0 })
  expect(body.held).toEqual({ holdCount: 1, smsCount: 4, amount: '0.20' })
  // Who owes takes nothing from the bills of others.
  const { id: cycleId } = await ledger.ensureOpenCycle()
  const line = { cycleId, settlement: 1, kind: 'adjustment' } as const
  await ledger.post(db, [
    { ...line, userId: 2, account: 'payable', amountMicro: -700_000n },
    { ...line, userId: null, account: 'traffic_expense', amountMicro: 700_000n },
  ])
  expect((await call(4, 'GET', '/api/billing/summary')).body.open).toMatchObject({ amount: '0.15' })
})

test('an address is known by what was paid to it, and a look-alike is named', async () => {
  const { aPaidBill, call } = await openTestBilling()
  await aPaidBill()
  await aPaidBill()
  const check = async (userId: number, typed: string) =>
    (await call(4, 'GET', `/api/payments/address-check?userId=${userId}&address=${typed}`)).body
  expect(await check(1, address)).toMatchObject({
    isValid: true,
    problem: '',
    profile: 'same',
    paidCount: 2,
    lookAlikes: [],
    isBlacklisted: null,
  })
  expect(await check(1, other)).toMatchObject({ profile: 'other', paidCount: 0, firstPaidAt: null })
  expect(await check(4, address)).toMatchObject({ profile: 'none' })
  const forged = `${address.slice(0, 3)}${'z'.repeat(28)}${address.slice(-3)}`
  const found = await check(1, forged)
  expect(found.isValid).toBe(false)
  expect(found.lookAlikes).toContainEqual({ address, userName: 'u1' })
})

test('a client sees its own statement, lines with links to the records, CSV and payouts, and nobody else does', async () => {
  const { aClosedCycle, aPayee, call, traffic } = await openTestBilling()
  await aPayee(1)
  await aClosedCycle({}, { number: 3 }, { client: 2, number: 4 })
  await traffic({ client: 1, number: 1, count: 1, amountMicro: 50_000 })
  const [open, closed] = (await call(1, 'GET', '/api/billing/periods')).body
  const path = `/api/billing/periods/${closed.id}/statement.pdf`
  const statement = await call(1, 'GET', path)
  expect([statement.status, statement.headers['content-type']]).toEqual([200, 'application/pdf'])
  expect(statement.headers['content-disposition']).toContain(`statement-${closed.id}.pdf`)
  expect(statement.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
  expect((await call(2, 'GET', path)).status).toBe(404)
  expect((await call(4, 'GET', path)).status).toBe(200)
  expect((await call(1, 'GET', `/api/billing/periods/${open.id}/statement.pdf`)).status).toBe(409)
  const [line] = (await call(1, 'GET', `/api/billing/periods/${closed.id}/lines`)).body
  expect(line.recordsUrl).toMatch(
    /^\/sms-records\?period=\d+-1&settlement=bill&hold=none&number=447700000001&rate=0.05&rateId=1$/,
  )
  const csv = await call(1, 'GET', '/api/billing/periods/export')
  expect(csv.text.trim().split('\r\n')).toHaveLength(2)
  const numbersOf = async (userId: number) =>
    (await call(userId, 'GET', '/api/billing/payouts')).body.map(({ number }: { number: string }) => number)
  expect(await numbersOf(1)).toEqual(['447700000003'])
  expect(await numbersOf(2)).toEqual(['447700000004'])
})

test('clients see the terms of payment too', async () => {
  const { call } = await openTestBilling()
  expect((await call(1, 'GET', '/api/billing/terms')).body).toEqual({
    payableAfterDays: 0,
    addressWaitHours: 72,
    secondPersonAbove: '100.00',
    movedAlone: '0.00',
    isCheckedOnChain: false,
    explorerUrl: 'https://tronscan.org/#/transaction/',
  })
})

test('the terms tell a person what he moved alone in 24 hours, without what the next act is about', async () => {
  const { aBill, call, clock } = await openTestBilling()
  const { id, path } = await aBill({ count: 1, amountMicro: 60_000_000 })
  await call(4, 'PUT', `${path}/pay`, { body: { transactionHash: 'a'.repeat(64) } })
  const moved = async (userId: number, query = '') =>
    (await call(userId, 'GET', `/api/billing/terms${query}`)).body.movedAlone
  expect(await moved(4)).toBe('60.00')
  expect(await moved(4, `?about=billing_period%20${id}`)).toBe('0.00')
  expect(await moved(5)).toBe('0.00')
  clock.advance(86_400_000)
  expect(await moved(4)).toBe('0.00')
})
