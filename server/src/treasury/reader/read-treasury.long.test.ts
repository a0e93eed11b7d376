// What left our wallets is read once and in full, whatever the node does.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import {
  contractHex,
  openTestTreasury,
  txidOf,
  usdtContract,
  walletHex,
} from '../../../test/money/treasury.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { toAddress } from '../../rates/index.ts'

const stored = (db: Db) =>
  rows<{ txid: string; log_index: number; micro: string }>(
    db,
    sql`select txid, log_index, amount_micro as micro from transfers order by id`,
  )
const strangerHex = '55'.repeat(20)

test('transfers are stored from their receipts, each once, however often the list repeats them', async () => {
  const { address, clock, db, node, read, send } = await openTestTreasury()
  await read()
  const first = send([address(1), 500_000n], [address(2), 50_000n])
  await read()
  const second = send([address(3), 7n])
  for (const _ of [1, 2, 3]) await read()
  expect(await stored(db)).toEqual([
    { txid: first, log_index: 0, micro: '500000' },
    { txid: first, log_index: 1, micro: '50000' },
    { txid: second, log_index: 0, micro: '7' },
  ])
  const lists = node.requests.filter(({ path }) => path.startsWith('/v1/'))
  expect(lists[0]?.key).toBe('key')
  const query = new URL(lists[0]?.path ?? '', 'http://x').searchParams
  expect(Object.fromEntries(query)).toMatchObject({
    only_confirmed: 'true',
    only_from: 'true',
    limit: '200',
    contract_address: usdtContract,
    order_by: 'block_timestamp,asc',
  })
  // A receipt is looked up once.
  expect(node.requests.filter(({ hash }) => hash === first)).toHaveLength(1)
  expect(await row(db, sql`select read_at, fault from treasury_readings`)).toEqual({
    read_at: clock.now(),
    fault: '',
  })
})

test('a node that fails is asked again later, and nothing is lost', async () => {
  const { address, call, db, node, read, send } = await openTestTreasury()
  const wallet = async () => (await call(4, 'GET', '/api/treasury/reader')).body.wallets[0]
  await read()
  for (const [index, fault] of (['error', 'plain text', 'limit', 'nonsense', 'reset'] as const).entries()) {
    send([address(1), 500_000n])
    node.fail(fault)
    await read()
    const before = node.requests.length
    for (const _ of [1, 2, 3]) await read(1_000)
    // The node is not asked again for a while.
    expect(node.requests.length, fault).toBe(before)
    await read(60_000)
    expect(await wallet(), fault).toMatchObject({
      fault: expect.stringMatching(/node/),
      failingSince: expect.any(String),
    })
    node.fail(undefined)
    await read(600_000)
    expect(await stored(db), fault).toHaveLength(index + 1)
    expect(await wallet(), fault).toMatchObject({ fault: '', failingSince: null })
  }
})

test('a transaction that is listed before its receipt is there is stored once it is', async () => {
  const { address, call, clock, db, node, read, transferTo } = await openTestTreasury()
  const transfers = [transferTo(address(1), 500_000n)]
  node.mine(txidOf(1), transfers, { at: clock.now(), isShown: false })
  await read()
  await read()
  expect(await stored(db)).toEqual([])
  expect((await call(4, 'GET', '/api/treasury/reader')).body.waitingCount).toBe(1)
  node.mine(txidOf(1), transfers, { at: clock.now() })
  await read(60_000)
  expect(await stored(db)).toHaveLength(1)
  expect((await call(4, 'GET', '/api/treasury/reader')).body.waitingCount).toBe(0)
})

test('a transaction that is listed late, after a newer one, is found', async () => {
  const { address, clock, db, node, read, send, transferTo } = await openTestTreasury()
  await read()
  const at = clock.now()
  clock.advance(5_000)
  send([address(1), 1n])
  await read()
  node.mine(txidOf(9), [transferTo(address(2), 2n)], { at })
  await read()
  expect((await stored(db)).map(({ micro }) => micro)).toEqual(['1', '2'])
})

test('nothing is stored of what only looks like a transfer of ours', async () => {
  const { clock, db, node, read } = await openTestTreasury()
  const transfer = { contract: contractHex, from: walletHex, to: strangerHex, amountMicro: 5n }
  const cases = [
    // Another token that calls itself USDT.
    [{ ...transfer, contract: strangerHex }, {}],
    // A transfer of 0, which anybody can make in our name.
    [{ ...transfer, amountMicro: 0n }, {}],
    [{ ...transfer, from: strangerHex }, {}],
    [{ ...transfer, to: walletHex }, {}],
    [transfer, { result: 'REVERT' }],
    [transfer, { isShown: false }],
    // More than there can be.
    [{ ...transfer, amountMicro: 10n ** 20n }, {}],
  ] as const
  for (const [index, [transfer, more]] of cases.entries())
    node.mine(txidOf(index), [transfer], { at: clock.now(), ...more })
  await read()
  await read()
  expect(await stored(db)).toEqual([])
})

test('a list that lies is harmless: only what the receipt shows is stored', async () => {
  const { address, clock, db, node, read, transferTo } = await openTestTreasury()
  node.mine(txidOf(1), [transferTo(address(1), 5n)], { at: clock.now() })
  // The list says another amount and another receiver.
  node.mine(txidOf(1), [transferTo(address(2), 900_000_000n)], { at: clock.now(), isShown: false })
  node.mine(txidOf(1), [transferTo(address(1), 5n)], { at: clock.now(), isListed: false })
  await read()
  expect((await stored(db)).map(({ micro }) => micro)).toEqual(['5'])
})

test('a transfer of the future does not make the reader miss those of today', async () => {
  const { address, clock, call, db, node, read, send, transferTo } = await openTestTreasury()
  await read()
  node.mine(txidOf(99), [transferTo(address(1), 1n)], { at: new Date(clock.now().getTime() + 86_400_000) })
  await read()
  expect((await call(4, 'GET', '/api/treasury/reader')).body.wallets[0].fault).toContain('future')
  clock.advance(86_400_000)
  send([address(2), 2n])
  await read()
  expect((await stored(db)).map(({ micro }) => micro).toSorted()).toEqual(['1', '2'])
})

test('a long list is read in turns, and none of it twice', async () => {
  const { address, clock, db, node, read, transferTo } = await openTestTreasury()
  // 21 pages: more than one turn reads.
  for (let number = 1; number <= 21; number += 1)
    node.mine(
      txidOf(number),
      Array.from({ length: 200 }, (_, index) => transferTo(address(1), BigInt(index + 1))),
      { at: new Date(clock.now().getTime() - (100 - number) * 1_000) },
    )
  await read(0)
  expect(await row(db, sql`select resumes_at is not null as more from treasury_readings`)).toEqual({
    more: true,
  })
  await read()
  expect(await row(db, sql`select resumes_at is not null as more from treasury_readings`)).toEqual({
    more: false,
  })
  expect(await row(db, sql`select count(*)::int as count from transfers`)).toEqual({ count: 4_200 })
})

test('two nodes that read at once store each transfer once', async () => {
  const { address, billing, db, send } = await openTestTreasury()
  for (let number = 1; number <= 5; number += 1) send([address(1), BigInt(number)])
  await Promise.all([1, 2, 3].map(() => billing.readTreasury()))
  expect(await stored(db)).toHaveLength(5)
})

test('the receipt of a payment that is being looked up books it, and the transfer is no open one', async () => {
  const { address, billing, call, cycleId, read, send, transfers } = await openTestTreasury()
  const transactionHash = send([address(2), 50_000n])
  await call(4, 'PUT', `/api/billing/periods/${cycleId}-2/pay`, { body: { transactionHash } })
  await read()
  await billing.checkPayments()
  expect(await transfers()).toMatchObject([{ state: 'booked', references: [`${cycleId}-2`], userName: 'u2' }])
})

test('without wallets of ours, or without a node, nothing is asked', async () => {
  const { call, db, node, read } = await openTestTreasury()
  await sql`update settings set value = '' where key = 'treasury_addresses'`.execute(db)
  await read()
  expect(node.requests.filter(({ path }) => path.startsWith('/v1/'))).toEqual([])
  const alone = await openTestTreasury({ hasNode: false })
  await alone.read()
  expect((await alone.call(4, 'GET', '/api/treasury/reader')).body).toMatchObject({
    isConfigured: false,
    wallets: [],
  })
  expect((await call(1, 'GET', '/api/treasury/reader')).status).toBe(403)
  expect(toAddress(walletHex)).toMatch(/^T/)
})
