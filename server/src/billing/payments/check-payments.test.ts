import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestApi } from '../../../test/api.ts'
import { fixedClock, openTestDatabase } from '../../../test/harness.ts'
import { openTronNode } from '../../../test/tron-node.ts'
import { createTestAudit } from '../../../test/audit.ts'
import { createLedger } from '../../ledger/index.ts'
import { row } from '../../platform/db.ts'
import { createEgress } from '../../platform/security/egress.ts'
import { createSecrets } from '../../platform/security/secrets.ts'
import { createSigner } from '../../platform/security/signing.ts'
import { createTableReader } from '../../platform/tables/table-reader.ts'
import { createRates } from '../../rates/index.ts'
import { createUsers } from '../../users/index.ts'
import { addressBytes, toAddress } from '../../rates/index.ts'
import { createBilling } from '../index.ts'

const { db } = await openTestDatabase()
const clock = fixedClock('2026-03-04T12:00:00Z')
const audit = createTestAudit({ db, clock })
const secrets = createSecrets('key material for tests')
const smppAddress = () => ({ host: '127.0.0.1', port: 2775 })
const { settings } = createUsers({ db, clock, audit, secrets, smppAddress })
const { treasuryAddresses } = createRates({ db, audit, settings })
const ledger = createLedger({ db, clock, cycleSeconds: 604_800 })
const egress = createEgress([])
afterAll(() => egress.close())
const node = await openTronNode()
const usdtContract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const tron = { apiUrl: node.url, apiKey: 'key', usdtContract }
const signer = createSigner('key material for tests', 'statements')
const given = {
  db,
  clock,
  audit,
  ledger,
  settings,
  treasuryAddresses,
  egress,
  tables: createTableReader(),
  signer,
  tron,
  mail: undefined,
  consoleUrl: undefined,
}
const billing = createBilling(given)
const api = await openTestApi(billing.routes, undefined, clock)

const [contract, wallet, client, stranger] = [addressBytes(usdtContract) ?? '', '33', '44', '55'].map(
  (bytes) => (bytes.length === 2 ? bytes.repeat(20) : bytes),
) as [string, string, string, string]
await sql`insert into users (username, email, first_name, last_name, password_hash, role)
  select 'u' || i, 'u@example.org', 'U', 'U', 'x', 'support' from generate_series(1, 12) i`.execute(db)
await sql`insert into payment_profiles (user_id, usdt_address)
  select id, ${toAddress(client)} from users`.execute(db)
await sql`insert into settings (key, value) values ('treasury_addresses', ${toAddress(wallet)})`.execute(db)
const cycle = await ledger.ensureOpenCycle()
await sql`insert into record_cycles select ${cycle.id}::int, id, 1, 10, 500000 from users`.execute(db)
clock.set(cycle.endsAt)
await billing.closeDueCycles()

const cookie = api.signIn({ userId: 12, username: 'u12', role: 'support' })
const hash = (digit: string) => digit.repeat(64)
const good = { contract, from: wallet, to: client, amountMicro: 500_000n }
const pay = (userId: number, digit: string) =>
  api.call('PUT', `/api/billing/periods/${cycle.id}-${userId}/pay`, {
    cookie,
    body: { transactionHash: hash(digit) },
  })
async function checked(userId: number) {
  clock.advance(10_000)
  await billing.checkPayments()
  const all = await api.call('GET', `/api/billing/all-periods?userId=${userId}`, { cookie })
  const { status, paymentVerification } = all.body.at(-1)
  return [status, paymentVerification]
}

test('a transfer that matches is verified, after whatever the node answers first', async () => {
  expect((await pay(1, 'a')).body).toMatchObject({
    status: 'sent_to_support',
    paymentVerification: 'confirming',
  })
  expect((await pay(1, 'b')).status).toBe(409)
  expect((await pay(2, 'a')).status).toBe(409)
  for (const fault of ['error', 'plain text', 'limit', 'reset', undefined] as const) {
    node.fail(fault)
    expect(await checked(1)).toEqual(['sent_to_support', 'confirming'])
  }
  node.mine(hash('a'), [], { at: clock.now() })
  expect(await checked(1)).toEqual(['sent_to_support', 'confirming'])
  node.mine(hash('a'), [good], { at: clock.now() })
  expect(await checked(1)).toEqual(['paid', 'verified'])
  expect(node.asked[0]).toEqual({
    path: '/walletsolidity/gettransactioninfobyid',
    hash: hash('a'),
    key: 'key',
  })
  expect((await pay(1, 'b')).status).toBe(409)
})

test.each([
  ['of another token', { ...good, contract: stranger }, {}],
  ['to another address', { ...good, to: stranger }, {}],
  ["from a stranger's wallet", { ...good, from: stranger }, {}],
  ['older than the bill', good, { at: new Date(cycle.endsAt.getTime() - 1) }],
  ['that failed', good, { result: 'REVERT' }],
])('a transfer %s is rejected, and the bill can still be paid', async (_, transfer, more) => {
  node.mine(hash('c'), [transfer], { at: clock.now(), ...more })
  expect((await pay(2, 'c')).status).toBe(200)
  expect(await checked(2)).toEqual(['failed', 'rejected'])
})

test.each([
  ['underpaid', 3, 'd', 499_999n],
  ['overpaid', 4, 'e', 500_001n],
])(
  'a transfer of another amount is %s and waits for a decision',
  async (verification, userId, digit, amountMicro) => {
    node.mine(hash(digit), [{ ...good, amountMicro }], { at: clock.now() })
    await pay(userId, digit)
    expect(await checked(userId)).toEqual(['failed', verification])
    const path = `/api/billing/periods/${cycle.id}-${userId}/decide`
    expect((await api.call('PUT', path, { cookie, body: { action: 'accept', reason: '' } })).status).toBe(400)
    const body = { action: 'accept', reason: 'agreed with the client' }
    expect((await api.call('PUT', path, { cookie, body })).body.status).toBe('paid')
    expect((await api.call('PUT', path, { cookie, body })).status).toBe(409)
  },
)

test('whoever waits is told whether the network has seen the transfer', async () => {
  const note = async () => {
    await checked(6)
    return (await api.call('GET', '/api/billing/all-periods?userId=6', { cookie })).body.at(-1)
      .verificationNote
  }
  await pay(6, '6')
  expect([await note(), await note()]).toEqual(['', 'Not seen on chain yet.'])
  node.announce(hash('6'))
  expect(await note()).toBe('Seen on chain in block 990; waiting until it cannot be undone.')
  node.mine(hash('6'), [good], { at: clock.now() })
  expect(await note()).toBe('')
})

test('a payment that is never found is left to a person after a day', async () => {
  await pay(5, 'f')
  const reject = () =>
    api.call('PUT', `/api/billing/periods/${cycle.id}-5/decide`, {
      cookie,
      body: { action: 'reject', reason: 'a wrong hash' },
    })
  expect((await reject()).status).toBe(409)
  clock.advance(86_400_000)
  expect(await checked(5)).toEqual(['sent_to_support', 'confirming'])
  expect((await reject()).body).toMatchObject({ status: 'failed', paymentVerification: 'rejected' })
})

test('one transaction with several transfers pays several bills, each transfer one', async () => {
  const others = ['66', '77'].map((byte) => byte.repeat(20))
  for (const [index, account] of others.entries())
    await sql`update billing_periods set usdt_address = ${toAddress(account)} where user_id = ${7 + index}`.execute(
      db,
    )
  // Until the transaction is final nobody can tell, so the second is refused as any used hash.
  expect((await pay(7, '7')).status).toBe(200)
  expect((await pay(8, '7')).body).toMatchObject({
    code: 'taken',
    message: expect.stringContaining('final'),
  })
  const [seven = '', eight = ''] = others
  node.mine(hash('7'), [{ ...good, to: seven }, { ...good, to: eight }, good, good], { at: clock.now() })
  expect((await pay(8, '7')).status).toBe(200)
  // Two bills to one address, two transfers to it.
  expect((await pay(9, '7')).status).toBe(200)
  expect((await pay(10, '7')).status).toBe(200)
  expect((await pay(11, '7')).body.message).toContain('no other transfer of this amount')
  await Promise.all([billing.checkPayments(), billing.checkPayments()])
  for (const userId of [7, 8, 9, 10])
    expect([userId, ...(await checked(userId))]).toEqual([userId, 'paid', 'verified'])
  expect((await pay(11, '7')).status).toBe(409)
  expect(
    await row(
      db,
      sql`select array_agg(log_index order by log_index) as logs, count(distinct payment_id)::int as payments
          from claimed_transfers where txid = ${hash('7')}`,
    ),
  ).toEqual({ logs: [0, 1, 2, 3], payments: 4 })
})

test('of two racing payments by one transfer only one is taken', async () => {
  node.mine(hash('8'), [good], { at: clock.now() })
  const answers = await Promise.all([pay(11, '8'), pay(2, '8')])
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
  const [winner = 0] = [11, 2].filter((_, index) => answers[index]?.status === 200)
  expect(await checked(winner)).toEqual(['paid', 'verified'])
})

test('what a rejected payment had claimed can pay another bill', async () => {
  const loser = Number(
    (
      await row<{ id: number }>(
        db,
        sql`select user_id as id from billing_periods where user_id in (2, 11) and status <> 'paid'`,
      )
    )?.id,
  )
  node.mine(hash('9'), [{ ...good, amountMicro: 700_000n }], { at: clock.now() })
  await pay(loser, '9')
  expect(await checked(loser)).toEqual(['failed', 'overpaid'])
  const decide = { cookie, body: { action: 'reject', reason: 'meant for another bill' } }
  await api.call('PUT', `/api/billing/periods/${cycle.id}-${loser}/decide`, decide)
  expect(
    await row(db, sql`select count(*)::int as count from claimed_transfers where txid = ${hash('9')}`),
  ).toEqual({
    count: 0,
  })
})

test('the ledger has paid what the paid bills say', async () => {
  expect(
    await row(
      db,
      sql`select (select sum(amount_micro) from ledger_entries where account = 'paid') as paid,
        (select sum(total_micro) from billing_periods where status = 'paid') as bills,
        (select sum(amount_micro) from ledger_entries) as sum`,
    ),
  ).toEqual({ paid: '4500000', bills: '4500000', sum: '0' })
})

test("an address on USDT's blacklist is told, and a node that does not answer clearly says nothing", async () => {
  const check = async (account: string) =>
    (await api.call('GET', `/api/payments/address-check?userId=1&address=${toAddress(account)}`, { cookie }))
      .body.isBlacklisted
  node.fail(undefined)
  node.blacklist(stranger)
  expect([await check(client), await check(stranger)]).toEqual([false, true])
  for (const fault of ['error', 'plain text', 'limit', 'reset'] as const) {
    node.fail(fault)
    expect(await check(stranger)).toBeNull()
  }
})
