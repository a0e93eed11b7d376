import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestApi } from '../../test/api.ts'
import { fixedClock, openTestDatabase } from '../../test/harness.ts'
import { trafficWriter } from '../../test/money.ts'
import { createTestAudit } from '../../test/audit.ts'
import { createLedger, findOpenCycle, type Ledger } from '../ledger/index.ts'
import { row, rows } from '../platform/db.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { createSigner } from '../platform/security/signing.ts'
import { createTableReader } from '../platform/tables/table-reader.ts'
import { createRates } from '../rates/index.ts'
import { createUsers } from '../users/index.ts'
import { toAddress } from '../rates/index.ts'
import { createBilling } from './index.ts'

const { db } = await openTestDatabase({ maxConnections: 20 })
const clock = fixedClock('2026-03-04T12:00:00Z')
const audit = createTestAudit({ db, clock })
const { settings } = createUsers({
  db,
  clock,
  audit,
  secrets: createSecrets('key material for tests'),
  smppAddress: () => ({ host: '127.0.0.1', port: 2775 }),
})
const { treasuryAddresses } = createRates({ db, audit, settings })
const ledger = createLedger({ db, clock, cycleSeconds: 604_800 })
const egress = { call: () => Promise.reject(new Error('no node in this test')) }
const node = (over: Partial<Ledger> = {}) => ({
  db,
  clock,
  audit,
  ledger: { ...ledger, ...over },
  settings,
  treasuryAddresses,
  egress,
  tables: createTableReader(),
  signer: createSigner('key material for tests', 'statements'),
  tron: undefined,
  mail: undefined,
  consoleUrl: undefined,
})
const billing = createBilling(node())
const api = await openTestApi(billing.routes, undefined, clock)

await sql`insert into users (username, email, first_name, last_name, password_hash, role)
  select 'u' || i, 'u@example.org', 'U', 'U', 'x', case when i > 3 then 'support' else 'user' end
  from generate_series(1, 6) i`.execute(db)
await sql`insert into numbers (number, price_micro) values ('447700000001', null), ('447700000002', null),
  ('447700000003', 500000), ('447700000004', 500000)`.execute(db)

const as = (userId: number, authenticatedAt = clock.now()) =>
  api.signIn({ userId, username: `u${userId}`, role: userId > 3 ? 'support' : 'user', authenticatedAt })
const call = (userId: number, method: 'GET' | 'PUT' | 'POST', path: string, body?: unknown) =>
  api.call(method, path, { cookie: as(userId), ...(body === undefined ? {} : { body }) })

const write = trafficWriter(db, clock, ledger)
const traffic = (client: number, number: number, count: number, amountMicro: number, isHeld = false) =>
  write({ client, number, count, amountMicro, isHeld })

const endCycle = async () => clock.set((await findOpenCycle(db))?.endsAt ?? '')
const address = toAddress('11'.repeat(20))
const other = toAddress('22'.repeat(20))
const hash = (digit: string) => digit.repeat(64)

test('an address is checked; the first is used at once, a change waits and needs a recent sign-in', async () => {
  const profile = (usdtAddress: string) => ({ fullName: 'Ada', usdtAddress, email: '' })
  for (const bad of [address.toLowerCase(), `${address.slice(0, -1)}x`, '0x1234', '']) {
    const answer = await call(1, 'PUT', '/api/user/profile', profile(bad))
    expect(answer.status).toBe(400)
    expect(answer.body.fields).toHaveProperty('usdtAddress')
  }
  expect((await call(1, 'PUT', '/api/user/profile', profile(address))).body.usdtAddress).toBe(address)
  const stale = as(1, new Date(clock.now().getTime() - 600_000))
  const refused = await api.call('PUT', '/api/user/profile', { cookie: stale, body: profile(other) })
  expect([refused.status, refused.body.code]).toEqual([403, 'reauthenticate'])
  const changed = await call(1, 'PUT', '/api/user/profile', profile(other))
  expect(changed.body).toMatchObject({ usdtAddress: address, pendingUsdtAddress: other })
  // Naming the address in force takes the change back.
  expect((await call(1, 'PUT', '/api/user/profile', profile(address))).body.pendingUsdtAddress).toBeNull()
})

test('the open period shows live figures and cannot be paid', async () => {
  await traffic(1, 1, 10, 50_000)
  await traffic(1, 2, 5, 30_001)
  await traffic(1, 1, 4, 50_000, true)
  await traffic(1, 3, 3, 500_000)
  await traffic(2, 4, 2, 500_000)
  await traffic(2, 1, 1, 50_000)
  const [open, ...rest] = (await call(1, 'GET', '/api/billing/periods')).body
  expect(rest).toEqual([])
  expect(open).toMatchObject({
    status: 'pending',
    totalSmsCount: 15,
    totalCost: '0.650005',
    costPerSms: '0.043334',
  })
  const lines = (await call(1, 'GET', `/api/billing/periods/${open.id}/lines`)).body
  expect(lines.map(({ amount }: { amount: string }) => amount)).toEqual(['0.50', '0.150005'])
  const paid = await call(4, 'PUT', `/api/billing/periods/${open.id}/pay`, { transactionHash: hash('a') })
  expect(paid.status).toBe(409)
  expect((await call(2, 'GET', `/api/billing/periods/${open.id}/lines`)).status).toBe(404)
  expect((await call(4, 'PUT', '/api/billing/periods/99-1/pay', { transactionHash: hash('a') })).status).toBe(
    404,
  )
})

test('a close that crashes leaves nothing, and two workers close once', async () => {
  await endCycle()
  const crashing = createBilling({
    ...node({ postRows: () => Promise.reject(new Error('power cut')) }),
    settings: { ...settings, define: ({ key, fallback }) => ({ key, get: async () => fallback }) },
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
  await traffic(1, 1, 1, 50_000)
  const [open, closed] = (await call(1, 'GET', '/api/billing/periods')).body
  expect([open.status, open.totalSmsCount, closed.totalSmsCount]).toEqual(['pending', 1, 15])
})

test('of fifty payments of one bill at once one wins, and its hash pays nothing else', async () => {
  const { id } = (await call(1, 'GET', '/api/billing/periods')).body[1]
  const path = `/api/billing/periods/${id}/pay`
  for (const bad of ['', 'xyz', hash('g'), hash('a').slice(1)])
    expect((await call(4, 'PUT', path, { transactionHash: bad })).status).toBe(400)
  const cookies = Array.from({ length: 50 }, (_, index) =>
    api.signIn({ userId: 4 + (index % 3), username: 'u4', role: 'support', authenticatedAt: clock.now() }),
  )
  const answers = await Promise.all(
    cookies.map((cookie, index) =>
      api.call('PUT', path, { cookie, body: { transactionHash: index.toString(16).padStart(64, 'A') } }),
    ),
  )
  const winners = answers.filter(({ status }) => status === 200)
  expect(winners).toHaveLength(1)
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
  expect(winners[0]?.body).toMatchObject({ status: 'paid', paymentVerification: 'unverified' })
  const [payout] = (await call(4, 'GET', '/api/payouts')).body
  const used = winners[0]?.body.paymentTxHash.toUpperCase()
  expect((await call(4, 'PUT', `/api/payouts/${payout.id}/process`, { transactionHash: used })).status).toBe(
    409,
  )
})

test('a bill without an address waits for the first one', async () => {
  const { id } = (await call(2, 'GET', '/api/billing/periods')).body[1]
  const path = `/api/billing/periods/${id}/pay`
  expect((await call(5, 'PUT', path, { transactionHash: hash('b') })).status).toBe(422)
  await call(2, 'PUT', '/api/user/profile', { fullName: 'Bo', usdtAddress: other })
  expect((await call(5, 'PUT', path, { transactionHash: hash('b') })).body).toMatchObject({
    status: 'paid',
    usdtAddress: other,
  })
})

test('a payout is processed once', async () => {
  const [{ id }] = (await call(4, 'GET', '/api/payouts')).body
  const answers = await Promise.all(
    [4, 5, 6, 4, 5].map((userId) => call(userId, 'PUT', `/api/payouts/${id}/process`, {})),
  )
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    200, 409, 409, 409, 409,
  ])
  expect((await call(4, 'GET', '/api/payouts/summary')).body.pendingCount).toBe(1)
})

test('above the limit a second person gives the same hash', async () => {
  await traffic(3, 1, 100, 2_000_000)
  await call(3, 'PUT', '/api/user/profile', { fullName: 'Cy', usdtAddress: address })
  await endCycle()
  await billing.closeDueCycles()
  const { id } = (await call(3, 'GET', '/api/billing/periods')).body[1]
  const pay = (userId: number, digit: string) =>
    call(userId, 'PUT', `/api/billing/periods/${id}/pay`, { transactionHash: hash(digit) })
  expect((await pay(4, 'c')).body).toMatchObject({
    status: 'sent_to_support',
    approval: { requestedBy: 'u4' },
  })
  expect((await pay(4, 'c')).status).toBe(409)
  expect((await pay(5, 'd')).status).toBe(409)
  expect((await pay(5, 'c')).body).toMatchObject({ status: 'paid', approval: null })
})

test('a payment outside the bills is written down, and its hash is used up', async () => {
  const body = { userId: 1, amount: '12.5', transactionHash: hash('e'), status: 'confirmed' }
  const made = await call(4, 'POST', '/api/payments', body)
  expect([made.status, made.body.amount, made.body.usdtAddress]).toEqual([201, '12.50', address])
  expect((await call(4, 'POST', '/api/payments', body)).status).toBe(409)
  for (const field of [
    { amount: '-1' },
    { amount: '0' },
    { userId: 999 },
    { usdtAddress: 'T' },
    { status: 'x' },
  ])
    expect((await call(4, 'POST', '/api/payments', { ...body, ...field, transactionHash: '' })).status).toBe(
      400,
    )
  expect((await call(5, 'GET', '/api/payments/all?search=u1')).body).not.toHaveLength(0)
})

test('bills to pay come first when asked, the longest waiting at the top, over pages, and the sums agree with them', async () => {
  await traffic(1, 1, 2, 50_000)
  await endCycle()
  await billing.closeDueCycles()
  await traffic(1, 1, 3, 50_000)
  const states: string[] = []
  const ids: string[] = []
  let path: string | undefined = '/api/billing/all-periods?sort=due&limit=2'
  while (path !== undefined) {
    const page = await api.call('GET', path, { cookie: as(4) })
    states.push(...page.body.map(({ status }: { status: string }) => status))
    ids.push(...page.body.map(({ id }: { id: string }) => id))
    path = page.next
  }
  expect(new Set(ids).size).toBe(ids.length)
  const [longest = 0, next = 0] = ids.map((id) => Number(id.split('-')[0]))
  expect(longest).toBeLessThan(next)
  expect(states.slice(0, 3)).toEqual(['sent_to_support', 'sent_to_support', 'pending'])
  expect(new Set(states.slice(3))).toEqual(new Set(['paid']))
  const { body } = await call(4, 'GET', '/api/billing/summary')
  expect(body.ready).toMatchObject({ count: 2, amount: '0.15', failedCount: 0, approvalCount: 0 })
  expect(body.open).toMatchObject({ clientCount: 1, smsCount: 3, amount: '0.15' })
  expect(body.paid).toMatchObject({ count: states.length - 3, verifiedCount: 0 })
  expect(body.held).toEqual({ smsCount: 4, amount: '0.20' })
})

test('an address is known by what was paid to it, and a look-alike is named', async () => {
  const check = async (userId: number, asked: string) =>
    (await call(4, 'GET', `/api/payments/address-check?userId=${userId}&address=${asked}`)).body
  expect(await check(1, address)).toMatchObject({
    isValid: true,
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

test('a client has its own statement, lines that lead to the records, CSV and payouts, and nobody else has them', async () => {
  const [open, closed] = (await call(1, 'GET', '/api/billing/periods')).body
  const path = `/api/billing/periods/${closed.id}/statement.pdf`
  const statement = await api.call('GET', path, { cookie: as(1) })
  expect([statement.status, statement.headers['content-type']]).toEqual([200, 'application/pdf'])
  expect(statement.headers['content-disposition']).toContain(`statement-${closed.id}.pdf`)
  expect(statement.rawPayload.subarray(0, 8).toString()).toBe('%PDF-1.4')
  expect((await call(2, 'GET', path)).status).toBe(404)
  expect((await call(4, 'GET', path)).status).toBe(200)
  expect((await call(1, 'GET', `/api/billing/periods/${open.id}/statement.pdf`)).status).toBe(409)
  const [line] = (await call(1, 'GET', `/api/billing/periods/${closed.id}/lines`)).body
  expect(line.recordsUrl).toMatch(
    /^\/sms-records\?number=447700000001&client=u1&dateFrom=[\d-]{10}&dateTo=[\d-]{10}$/,
  )
  const csv = await api.call('GET', '/api/billing/periods/export', { cookie: as(1) })
  expect(csv.text.trim().split('\r\n')).toHaveLength(
    1 + (await call(1, 'GET', '/api/billing/periods')).body.length - 1,
  )
  const numbersOf = async (userId: number) =>
    (await call(userId, 'GET', '/api/billing/payouts')).body.map(({ number }: { number: string }) => number)
  expect(await numbersOf(1)).toEqual(['447700000003'])
  expect(await numbersOf(2)).toEqual(['447700000004'])
})

test('the terms of payment are told to clients, too', async () => {
  expect((await call(1, 'GET', '/api/billing/terms')).body).toEqual({
    payableAfterDays: 0,
    addressWaitHours: 72,
    secondPersonAbove: '100.00',
    isCheckedOnChain: false,
    explorerUrl: 'https://tronscan.org/#/transaction/',
  })
})
