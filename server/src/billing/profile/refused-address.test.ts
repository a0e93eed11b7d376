// Addresses that nobody may be paid to: nobody's, a token's contract, and our own.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { toAddress } from '../../rates/index.ts'

const treasury = toAddress('77'.repeat(20))
const ownToken = toAddress('d1'.repeat(20))
const { aBill, call, db } = await openTestBilling()
const lost = await aBill({ client: 3 })
await sql`insert into settings (key, value) values ('treasury_addresses', ${treasury})`.execute(db)
const tron = { apiUrl: 'http://127.0.0.1:1', apiKey: undefined, usdtContract: ownToken }

test.each([
  ['the zero address', toAddress('00'.repeat(20)), 'Nobody has the key'],
  [
    'the contract of USDT, although no node is configured',
    'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
    'contract of USDT',
  ],
  ['its contract on a test network', 'TXLAQ63Xg1NAzckPwKHvzw7CSEmLMEqcdj', 'contract of USDT'],
  ['a wallet of the treasury', treasury, "this gateway's own wallets"],
  ['a wrong checksum', `${treasury.slice(0, -1)}1`, 'no TRC20 address'],
  ['hexadecimal digits', `41${'77'.repeat(20)}`, 'no TRC20 address'],
  ['an address of another chain', `0x${'77'.repeat(20)}`, 'no TRC20 address'],
  ['a link of a wallet', `tron:${toAddress('12'.repeat(20))}`, 'no TRC20 address'],
])(
  'nobody can be paid to %s: profile, Add Payment and re-addressing refuse it',
  async (_, address, reason) => {
    const saved = await call(1, 'PUT', '/api/user/profile', {
      body: { fullName: 'Client', usdtAddress: address },
    })
    expect(saved.status).toBe(400)
    expect(saved.body.fields.usdtAddress).toContain(reason)
    const checked = await call(4, 'GET', `/api/payments/address-check?userId=1&address=${address}`)
    expect(checked.body).toMatchObject({ isValid: false, problem: expect.stringContaining(reason) })
    const added = await call(4, 'POST', '/api/payments', {
      body: { userId: 1, amount: '1', usdtAddress: address, status: 'confirmed' },
    })
    expect([added.status, added.body.fields?.usdtAddress]).toEqual([400, expect.stringContaining(reason)])
    // In the profile from before, or since the address has become one of ours.
    await sql`update payment_profiles set usdt_address = ${address} where user_id = 3`.execute(db)
    const readdressed = await call(4, 'PUT', `${lost.path}/readdress`, { body: { reason: 'a lost wallet' } })
    expect([readdressed.status, readdressed.body.message]).toEqual([422, expect.stringContaining(reason)])
    expect((await call(4, 'POST', '/api/payments', { body: { userId: 3, amount: '1' } })).status).toBe(400)
  },
)

test('nor to the contract that is configured', async () => {
  const environment = await openTestBilling({ tron })
  const body = { fullName: 'Client', usdtAddress: ownToken }
  expect((await environment.call(1, 'PUT', '/api/user/profile', { body })).body.fields.usdtAddress).toContain(
    'contract of USDT',
  )
})

const scripts = {
  Latin: 'Łukasz Ångström-Nuñez ',
  Greek: 'Αλέξανδρος Παπαδόπουλος ',
  Arabic: 'عبد الرحمن بن محمد ',
  Chinese: '上海国际信息技术有限公司',
  Devanagari: 'अंतर्राष्ट्रीय संदेश सेवा ',
}
test.each(Object.entries(scripts))(
  'a name of 200 characters in %s is kept; of 201 it is refused',
  async (_, part) => {
    const name = part.repeat(20).slice(0, 199).trimEnd().padEnd(200, 'x')
    const save = (fullName: string) =>
      call(1, 'PUT', '/api/user/profile', { body: { fullName, usdtAddress: toAddress('11'.repeat(20)) } })
    const saved = await save(name)
    expect([saved.status, saved.body.fullName]).toEqual([200, name])
    expect((await save(`${name}y`)).status).toBe(400)
    expect((await call(1, 'GET', '/api/user/profile')).body.fullName).toBe(name)
  },
)

test.each([
  '1000000000000000000',
  '999999999999',
  '1000000.000001',
  '0.0000001',
  '-0.0000001',
  '1e6',
  '0',
  '',
  'NaN',
  1e18,
])('a correction of %s is refused with its field', async (amount) => {
  const body = { userId: 1, amount, reason: 'a slip' }
  const { status, body: refused } = await call(6, 'POST', '/api/billing/adjustments', { body })
  expect([status, Object.keys(refused.fields)]).toEqual([400, ['amount']])
})

test.each(['1000000', '-1000000', '0.000001', '-0.000001'])('a correction of %s is taken', async (amount) => {
  const body = { userId: 1, amount, reason: 'the most, the least' }
  expect((await call(6, 'POST', '/api/billing/adjustments', { body })).status).toBe(201)
})
