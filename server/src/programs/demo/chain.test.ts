import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestBilling } from '../../../test/money/billing.ts'
import { toAddress } from '../../rates/index.ts'
import { demoToken, openChain } from './chain.ts'

const chain = await openChain(demoToken, { irreversibleAfterMs: 0 })
const slow = await openChain(demoToken)
afterAll(() => Promise.all([chain.stop(), slow.stop()]))
const { call, traffic, closeCycle, billing, db } = await openTestBilling({
  tron: { apiUrl: chain.url, apiKey: undefined, usdtContract: demoToken },
})
const address = toAddress('c1'.repeat(20))
await sql`insert into settings (key, value) values ('treasury_addresses', ${chain.walletAddress})`.execute(db)

/** What the wallet's page says after its form was sent. */
async function sent(url: string, lines: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body: new URLSearchParams({ lines }) })
  expect(answer.status).toBe(200)
  return answer.text()
}
const hashesIn = (page: string) => page.match(/\b[0-9a-f]{64}\b/g) ?? []

test('a bill that the demo wallet pays is verified, and one that it pays too little for is not', async () => {
  await call(1, 'PUT', '/api/user/profile', { body: { fullName: 'Ada', usdtAddress: address } })
  for (const [amount, status, verification] of [
    ['0.10', 'paid', 'verified'],
    ['0.09', 'failed', 'underpaid'],
  ]) {
    await traffic({ client: 1, number: 1, count: 2, amountMicro: 50_000 })
    const { id } = await closeCycle()
    const [hash] = hashesIn(await sent(chain.url, `${address},${amount}`))
    await call(4, 'PUT', `/api/billing/periods/${id}-1/pay`, { body: { transactionHash: hash } })
    await billing.checkPayments()
    const [, bill] = (await call(1, 'GET', '/api/billing/periods')).body
    expect([bill.status, bill.paymentVerification]).toEqual([status, verification])
  }
})

test('the file for the wallet gives the file of hashes; lines without a transfer are not sent, and shown as typed', async () => {
  const page = await sent(
    chain.url,
    `address,amount,reference\n${address},1.50,3-1\n${address},0,3-2\nT<b>,1,3-3`,
  )
  expect(hashesIn(page)).toHaveLength(1)
  expect(page).toMatch(/reference,transaction_hash\n3-1,[0-9a-f]{64}</)
  expect(page).toContain('Not an amount')
  expect(page).toContain('T&#60;b&#62;,1,3-3')
  expect(page).not.toContain('T<b>')
})

test('a transfer is seen at once, and is irreversible a while later; nonsense is answered as a node does', async () => {
  const [hash] = hashesIn(await sent(slow.url, `${address} 1`))
  const ask = async (path: string, body: string) => {
    const answer = await fetch(`${slow.url}${path}`, { method: 'POST', body })
    return [answer.status, await answer.json()]
  }
  const value = JSON.stringify({ value: hash })
  expect(await ask('/wallet/gettransactioninfobyid', value)).toMatchObject([200, { id: hash }])
  expect(await ask('/walletsolidity/gettransactioninfobyid', value)).toEqual([200, {}])
  expect(await ask('/wallet/gettransactioninfobyid', 'not json')).toEqual([200, {}])
  expect((await ask('/wallet/somethingelse', '{}'))[0]).toBe(404)
  await expect(fetch(slow.url, { method: 'POST', body: 'x'.repeat(2_000_000) })).rejects.toThrow()
})

test('the wallet is listed and has its balance, so that the gateway can read the treasury', async () => {
  const [hash] = hashesIn(await sent(chain.url, `${address},0.25`))
  const list = async (from: string) => {
    const query = `only_confirmed=true&only_from=true&limit=200&contract_address=${demoToken}`
    const answer = await fetch(`${chain.url}/v1/accounts/${from}/transactions/trc20?${query}`)
    return (await answer.json()) as { data: { transaction_id: string; value: string }[] }
  }
  const found = (await list(chain.walletAddress)).data.find(({ transaction_id: id }) => id === hash)
  expect(found).toMatchObject({ from: chain.walletAddress, to: address, value: '250000', type: 'Transfer' })
  // What was received is not what was sent.
  expect((await list(address)).data).toEqual([])
  const balance = async () => {
    const parameter = 'd0'.repeat(20).padStart(64, '0')
    const body = JSON.stringify({ function_selector: 'balanceOf(address)', parameter })
    const answer = await fetch(`${chain.url}/walletsolidity/triggerconstantcontract`, {
      method: 'POST',
      body,
    })
    const { constant_result: result } = (await answer.json()) as { constant_result: [string] }
    return BigInt(`0x${result[0]}`)
  }
  const before = await balance()
  await sent(chain.url, `${address},0.25`)
  expect(before - (await balance())).toBe(250_000n)
})
