import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addressOf, openTestBilling } from '../../../test/money.ts'
import { openTronNode } from '../../../test/tron-node.ts'
import { row } from '../../platform/db.ts'
import { addressBytes, toAddress } from '../../rates/index.ts'

const usdtContract = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'
const hash = (digit: string) => digit.repeat(64)

/** Unpaid: a bill and a payout of client 1, a bill of client 2 without an address, and a large bill of client 3. */
async function openUnpaid() {
  const node = await openTronNode()
  const scene = await openTestBilling({ tron: { apiUrl: node.url, apiKey: undefined, usdtContract } })
  const { aClosedCycle, aPayee, call, db } = scene
  await aPayee(1)
  await aPayee(3)
  const { id: cycleId } = await aClosedCycle(
    { client: 1, number: 1, count: 7, amountMicro: 50_001 },
    { client: 1, number: 3, count: 2, amountMicro: 500_000 },
    { client: 2, number: 2, count: 1, amountMicro: 50_000 },
    { client: 3, number: 2, count: 3, amountMicro: 70_000_000 },
  )
  return {
    ...scene,
    node,
    cycleId,
    problems: async () =>
      Object.fromEntries(
        (await call(4, 'GET', '/api/payments/batch')).body.rows.map(
          (line: { reference: string; problem: string }) => [line.reference, line.problem],
        ),
      ),
    importing: (lines: string[], query = '', headers = {}) =>
      call(4, 'POST', `/api/payments/batch${query}`, {
        body: { data: ['reference,transaction_hash', ...lines].join('\n') },
        headers,
      }),
    payments: () => row(db, sql`select count(*)::int as count from payments`),
  }
}

test('the file for the wallet has address, exact amount and reference of everything that can be paid', async () => {
  const { call, cycleId, problems } = await openUnpaid()
  const { body } = await call(4, 'GET', '/api/payments/batch')
  expect([body.readyCount, body.readyAmount]).toEqual([3, '211.350007'])
  expect(await problems()).toEqual({
    [`${cycleId}-1`]: '',
    [`${cycleId}-2`]: expect.stringContaining('not given'),
    [`${cycleId}-3`]: '',
    'payout-1': '',
  })
  const answer = await call(4, 'GET', '/api/payments/batch/export')
  expect(answer.headers['content-type']).toContain('text/csv')
  expect(answer.text.trim().split('\r\n')).toEqual([
    'address,amount,reference',
    `${addressOf(1)},0.350007,${cycleId}-1`,
    `${addressOf(3)},210.00,${cycleId}-3`,
    `${addressOf(1)},1.00,payout-1`,
  ])
})

test('an address that the contract has frozen is left out, with a warning', async () => {
  const { call, cycleId, node, problems } = await openUnpaid()
  node.blacklist('03'.repeat(20))
  expect((await problems())[`${cycleId}-3`]).toContain('frozen')
  expect((await call(4, 'GET', '/api/payments/batch/export')).text).not.toContain(addressOf(3))
  const body = { fullName: 'Bo', usdtAddress: addressOf(3) }
  const refused = await call(2, 'PUT', '/api/user/profile', { body })
  expect([refused.status, refused.body.fields]).toEqual([
    400,
    { usdtAddress: expect.stringContaining('frozen') },
  ])
})

test('a trial reports every line and changes nothing', async () => {
  const { cycleId, importing, payments } = await openUnpaid()
  const lines = [
    `${cycleId}-1,${hash('a')}`,
    `payout-1,${hash('A')}`,
    `${cycleId}-2,${hash('b')}`,
    `${cycleId}-3,${hash('c')}`,
    `${cycleId}-9,${hash('d')}`,
    `nonsense,${hash('e')}`,
    'payout-1,xyz',
  ]
  const { status, body } = await importing(lines, '?dryRun=true')
  expect([status, body.isApplied, body.refusedCount]).toEqual([200, false, 5])
  expect(body.lines.map(({ line, outcome }: { line: number; outcome: string }) => [line, outcome])).toEqual([
    [2, 'confirming'],
    [3, 'refused'],
    [4, 'refused'],
    [5, 'awaits_approval'],
    [6, 'refused'],
    [7, 'refused'],
    [8, 'refused'],
  ])
  expect(body.lines[1].message).toContain('used by another payment')
  expect(await payments()).toEqual({ count: 0 })
  expect((await importing(lines)).body).toEqual(body)
  expect(await payments()).toEqual({ count: 0 })
})

test('a file that cannot be read is refused', async () => {
  const { call } = await openUnpaid()
  const send = (data: string) => call(4, 'POST', '/api/payments/batch', { body: { data } })
  for (const bad of ['', 'a,b\n1,2', 'reference,transaction_hash', 'reference,transaction_hash\n"1,2'])
    expect([(await send(bad)).status, Object.keys((await send(bad)).body.fields)]).toEqual([400, ['data']])
  const many = (count: number) => `reference,transaction_hash\n${'1-1,x\n'.repeat(count)}`
  expect((await send(many(501))).body.message).toContain('At most 500')
  // As many as the body lets through; a reader that is not bounded takes minutes over them.
  for (const bad of [many(80_000), `reference,transaction_hash\n${','.repeat(400_000)}`]) {
    const { status, body } = await send(bad)
    expect([status, body.code, Object.keys(body.fields)]).toEqual([422, 'unprocessable', ['data']])
  }
})

test('an amount in an imported file must be the amount of the bill', async () => {
  const { call, cycleId } = await openUnpaid()
  const data = `address,amount,reference,transaction_hash\nT,0.35,${cycleId}-1,${hash('a')}`
  const { body } = await call(4, 'POST', '/api/payments/batch', { body: { data } })
  expect(body.lines[0]).toMatchObject({ outcome: 'refused', message: expect.stringContaining('0.35 USDT') })
})

test('an import pays all its lines, once for a key, and the chain decides as for any payment', async () => {
  const { cycleId, importing, payments, problems } = await openUnpaid()
  const lines = [`payout-1,${hash('b')}`, `${cycleId}-1,${hash('A')}`]
  const answers = await Promise.all(
    [1, 2, 3].map(() => importing(lines, '', { 'idempotency-key': 'monday' })),
  )
  for (const { body } of answers) expect(body).toMatchObject({ isApplied: true, refusedCount: 0 })
  expect(await payments()).toEqual({ count: 2 })
  expect(await problems()).toMatchObject({ 'payout-1': expect.stringContaining('being verified') })
  const { body: again } = await importing(lines)
  expect([again.isApplied, again.refusedCount]).toEqual([false, 2])
})

test('one transaction of many transfers is imported as one hash for all its lines', async () => {
  const { aPayee, billing, clock, cycleId, db, importing, node } = await openUnpaid()
  await aPayee(2)
  await sql`insert into settings (key, value) values ('treasury_addresses', ${toAddress('33'.repeat(20))})`.execute(
    db,
  )
  const transfer = { contract: addressBytes(usdtContract) ?? '', from: '33'.repeat(20) }
  const [one, two] = ['01'.repeat(20), '02'.repeat(20)]
  node.mine(
    hash('f'),
    [
      { ...transfer, to: one, amountMicro: 350_007n },
      { ...transfer, to: two, amountMicro: 50_000n },
      { ...transfer, to: one, amountMicro: 1_000_000n },
    ],
    { at: clock.now() },
  )
  const { body } = await importing([
    `${cycleId}-1,${hash('F')}`,
    `${cycleId}-2,${hash('f')}`,
    `payout-1,${hash('f')}`,
  ])
  expect([body.isApplied, body.lines.map(({ outcome }: { outcome: string }) => outcome)]).toEqual([
    true,
    ['confirming', 'confirming', 'confirming'],
  ])
  await billing.checkPayments()
  expect(
    await row(
      db,
      sql`select array_agg(verification || ' ' || hash_place || ' ' || amount_micro order by id) as paid,
            (select sum(booked_micro)::text from transfers) as booked from payments`,
    ),
  ).toEqual({ paid: ['verified 0 350007', 'verified 1 50000', 'verified 2 1000000'], booked: '1400007' })
})

test('without a node an import is in the ledger at once, and balances', async () => {
  const { aClosedCycle, aPayee, billing, call, db } = await openTestBilling()
  await aPayee(1)
  const { id } = await aClosedCycle({ count: 2 }, { number: 3, count: 1, amountMicro: 500_000 })
  const data = `reference,transaction_hash\n${id}-1,${hash('a')}\npayout-1,${hash('b')}`
  const { body } = await call(4, 'POST', '/api/payments/batch', { body: { data } })
  expect(body.lines.map(({ outcome }: { outcome: string }) => outcome)).toEqual(['paid', 'paid'])
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  const paid = sql`select sum(amount_micro)::text as paid from ledger_entries where account = 'paid'`
  expect(await row(db, paid)).toEqual({ paid: '600000' })
})
