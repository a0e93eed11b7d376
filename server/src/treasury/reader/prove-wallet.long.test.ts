// Wallet and ledger are compared once a day, and each kind of difference is told apart.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { registry } from '../../platform/metrics.ts'
import { row, rows } from '../../platform/db.ts'
import { openTestTreasury, txidOf } from '../../../test/money/treasury.ts'

const day = 86_400_000
const countProofs = sql`select count(*)::int as count from treasury_proofs`
const listWaiting = sql`select txid from treasury_candidates order by txid`

async function openProof() {
  const environment = await openTestTreasury()
  const { billing, call, clock, cycleId, read } = environment
  await read()
  return {
    ...environment,
    /** The next day's proof. */
    prove: async (afterMs = day) => {
      clock.advance(afterMs)
      await billing.proveWallet()
      return (await call(4, 'GET', '/api/treasury/reader')).body.proof
    },
    pay: async (client: number, transactionHash: string) => {
      await call(4, 'PUT', `/api/billing/periods/${cycleId}-${client}/pay`, { body: { transactionHash } })
      await billing.checkPayments()
    },
  }
}

test('what left the wallet and what was booked are equal', async () => {
  const { address, call, pay, prove, send } = await openProof()
  expect(await prove(0)).toMatchObject({ balance: '1000000.00', sent: '0.00', isEqual: true })
  await pay(2, send([address(2), 50_000n]))
  expect(await prove()).toMatchObject({
    balance: '999999.95',
    sent: '0.05',
    booked: '0.05',
    ledgerPaid: '0.05',
    difference: '0.00',
    isEqual: true,
  })
  expect((await call(1, 'GET', '/api/treasury/reader')).status).toBe(403)
})

test('a transfer without a debt is unbooked until it is explained', async () => {
  const { address, call, prove, send, transfers } = await openProof()
  await prove(0)
  send([address(7), 250_000n])
  expect(await prove()).toMatchObject({
    unbooked: '0.25',
    unseen: '0.00',
    difference: '0.25',
    isEqual: false,
  })
  const [transfer] = await transfers('?state=open')
  const body = { reason: 'bought energy for the wallet' }
  expect((await call(4, 'PUT', `/api/treasury/transfers/${transfer?.id}/explain`, { body })).body.state).toBe(
    'explained',
  )
  // Sooner than a day later, so that the alarm ends.
  expect(await prove(600_000)).toMatchObject({ explained: '0.25', difference: '0.00', isEqual: true })
})

test('a payment that the ledger has and the chain has not is unseen', async () => {
  const { call, prove } = await openProof()
  await prove(0)
  const body = { userId: 1, amount: '3', status: 'confirmed', notes: 'by hand' }
  // Without a hash it takes a second person.
  const entered = await call(4, 'POST', '/api/payments', { body })
  const word = { action: 'accept', reason: 'paid in cash' }
  const agreed = await call(5, 'PUT', `/api/payments/${entered.body.id}/decide`, { body: word })
  expect([entered.status, agreed.status]).toEqual([201, 200])
  expect(await prove()).toMatchObject({
    unbooked: '0.00',
    unseen: '3.00',
    difference: '-3.00',
    isEqual: false,
  })
})

test('a balance that falls by more than was read tells of a transfer that the node hides', async () => {
  const { address, clock, node, prove, transferTo } = await openProof()
  await prove(0)
  node.mine(txidOf(8), [transferTo(address(7), 400_000n)], { at: clock.now(), isListed: false })
  expect(await prove()).toMatchObject({ unread: '0.40', difference: '0.00', isEqual: false })
  const metrics = await registry.metrics()
  expect(metrics).toContain('tollgate_treasury_unread_microusdt 400000')
  // Now the node lists the transfer.
  node.mine(txidOf(8), [transferTo(address(7), 400_000n)], { at: clock.now() })
  expect(await prove(600_000)).toMatchObject({ unread: '0.00', unbooked: '0.40' })
})

test('money that comes into the wallet accuses nobody', async () => {
  const { address, clock, node, prove, transferTo } = await openProof()
  await prove(0)
  const { from, to, ...rest } = transferTo(address(7), 9_000_000n)
  node.mine(txidOf(8), [{ ...rest, from: to, to: from }], { at: clock.now() })
  expect(await prove()).toMatchObject({ balance: '1000009.00', unread: '0.00', isEqual: true })
})

test('a mistyped hash of a payment run keeps no proof from being made', async () => {
  const { address, billing, call, clock, cycleId, db, node, prove, read, send } = await openProof()
  const proofs = async () => (await row<{ count: number }>(db, countProofs))?.count
  const waiting = async () => (await rows<{ txid: string }>(db, listWaiting)).map(({ txid }) => txid)
  await prove(0)
  const references = [1, 2].map((client) => `${cycleId}-${client}`)
  const { body: run } = await call(4, 'POST', '/api/payment-runs', { body: { references } })
  for (const verb of ['approve', 'export']) await call(5, 'PUT', `/api/payment-runs/${run.id}/${verb}`)
  const [wrong, plain] = ['e'.repeat(64), 'd'.repeat(64)]
  const enter = async (line: number, hash: string) => {
    const data = `reference,transaction_hash\nrun-${run.id}-${line},${hash}`
    const answer = await call(5, 'POST', `/api/payment-runs/${run.id}/hashes`, { body: { data } })
    expect(answer.body).toMatchObject({ isApplied: true })
  }
  // One that no node knows, and one that moved no token.
  node.mine(plain, [], { at: clock.now(), isListed: false })
  await enter(1, wrong)
  await enter(2, plain)
  send([address(1), 500_000n], [address(2), 50_000n])
  await read()
  // A line with a hash takes no other transfer by itself: what was paid is told as unbooked.
  expect(await prove(2 * day)).toMatchObject({ sent: '0.55', unbooked: '0.55', unread: '0.00' })
  expect(await proofs()).toBe(2)
  expect(await waiting()).toEqual([plain, wrong])
  // After a week nobody looks for them any more.
  clock.advance(5 * day + 1)
  await billing.readTreasury()
  expect(await waiting()).toEqual([])
})

test('a wallet that was not compared for two days is an alert until it is', async () => {
  const { billing, clock, node, prove } = await openProof()
  const alerts = async () => (await billing.alerts()).alerts.filter(({ kind }) => kind === 'wallet')
  await prove(0)
  const proved = clock.now().toISOString()
  node.fail('error')
  await prove(2 * day)
  expect(await alerts()).toEqual([])
  clock.advance(1)
  expect(await alerts()).toMatchObject([{ key: 'wallet:age', severity: 'critical', since: proved }])
  node.fail(undefined)
  await prove(3_600_000)
  expect(await alerts()).toEqual([])
})

test('no proof is made while the list cannot be read to its end, and none before its time', async () => {
  const { address, billing, clock, db, node, prove, transferTo } = await openProof()
  const count = () => row(db, countProofs)
  await prove(0)
  await prove(day - 1)
  expect(await count()).toEqual({ count: 1 })
  node.mine(txidOf(8), [transferTo(address(1), 5n)], { at: clock.now(), isShown: false })
  await prove(1)
  expect(await count()).toEqual({ count: 1 })
  node.mine(txidOf(8), [transferTo(address(1), 5n)], { at: clock.now() })
  node.fail('error')
  await prove(60_000)
  expect(await count()).toEqual({ count: 1 })
  node.fail(undefined)
  clock.advance(3_600_000)
  await billing.proveWallet()
  expect(await count()).toEqual({ count: 2 })
})
