// A payment run from its draft to its end, and everything that keeps one from paying twice or wrongly.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { ledgerOf } from '../../test/money/bills-on-chain.ts'
import { rows } from '../platform/db.ts'
import { openRuns } from './testing/runs-environment.ts'

test('a rest that a run sends is not waived: what the wallet sends is booked', async () => {
  const { address, billOf, billing, call, clock, exported, read, run, send } = await openRuns()
  const body = { transactionHash: send([address(1), 200_000n]) }
  expect((await call(4, 'PUT', `/api/billing/periods/${billOf(1)}/pay`, { body })).status).toBe(200)
  clock.advance(10_000)
  await billing.checkPayments()
  const [payment] = (await call(4, 'GET', `/api/payments/all?periodId=${billOf(1)}`)).body
  expect(payment).toMatchObject({ paymentVerification: 'underpaid', status: 'pending', dueAmount: '0.30' })
  const id = await exported([billOf(1)])
  const decided = await call(5, 'PUT', `/api/payments/${payment.id}/decide`, {
    body: { action: 'accept', difference: 'waive', reason: 'agreed: the fee of the exchange' },
  })
  expect([decided.status, decided.body.message]).toEqual([
    409,
    expect.stringContaining(`It is in payment run ${id}, which may send what is due.`),
  ])
  clock.advance(10_000)
  send([address(1), 300_000n])
  await read()
  expect(await run(id)).toMatchObject({ status: 'closed', paidAmount: '0.30' })
  const [bill] = (await call(4, 'GET', '/api/billing/all-periods?userId=1')).body
  expect(bill).toMatchObject({ status: 'paid', receivedAmount: '0.50', reducedAmount: '0.00' })
})

test.each([
  ['less', 400_000n, { receivedAmount: '0.40', reducedAmount: '0.10' }],
  ['more', 600_000n, { receivedAmount: '0.60', reducedAmount: '0.00' }],
])('the difference of a run that sent %s is waived, and the run ends', async (_, sentMicro, bill) => {
  const { address, billing, billOf, call, clock, exported, hashes, read, run, send } = await openRuns()
  const id = await exported([billOf(1)])
  clock.advance(10_000)
  const hash = send([address(1), sentMicro])
  expect((await hashes(id, [`run-${id}-1,${hash}`])).status).toBe(200)
  await read()
  await billing.checkPayments()
  const [payment] = (await call(4, 'GET', `/api/payments/all?periodId=${billOf(1)}`)).body
  const decided = await call(5, 'PUT', `/api/payments/${payment.id}/decide`, {
    body: { action: 'accept', difference: 'waive', reason: 'the fee of the exchange' },
  })
  expect([decided.status, decided.body.message]).toEqual([200, undefined])
  clock.advance(10_000)
  await read()
  expect(await run(id)).toMatchObject({ status: 'closed' })
  const [paid] = (await call(4, 'GET', '/api/billing/all-periods?userId=1')).body
  expect(paid).toMatchObject({ status: 'paid', ...bill })
})

test('only exactly what two persons agreed to is booked without a third word', async () => {
  const { aClosedCycle, address, billOf, clock, exported, read, send, states, step, transfers } =
    await openRuns()
  /** The states of a run of one bill of 0.05 USDT, and of the transfers that were sent for it. */
  async function after(reference: string, ...amounts: bigint[]) {
    const id = await exported([reference])
    for (const amountMicro of amounts) send([address(2), amountMicro])
    await read()
    await read()
    const found = (await transfers('?order=desc')).slice(0, amounts.length)
    const seen = [...(await states(id)), ...found.map(({ state }) => state).toSorted()]
    // The next run must not begin before these transfers were sent.
    clock.advance(3_600_000)
    await step(id, 'close', 4, { reason: 'the next case' })
    return seen
  }
  const bill = billOf(2)
  expect(await after(bill, 20_000n), 'a part').toEqual(['u2 waiting', 'open'])
  expect(await after(bill, 90_000n), 'too much').toEqual(['u2 waiting', 'open'])
  expect(await after(bill, 1n), 'dust').toEqual(['u2 waiting', 'open'])
  expect(await after(bill, 50_000n), 'the amount').toEqual(['u2 paid', 'booked'])
  const { id } = await aClosedCycle({ client: 2, count: 1 })
  clock.advance(3_600_000)
  expect(await after(`${id}-2`, 50_000n, 50_000n), 'twice').toEqual(['u2 paid', 'booked', 'open'])
})

test('a hash that a person brings says where to look, and what the chain shows is booked', async () => {
  const { address, billOf, exported, hashes, node, read, run, transferTo, clock, call } = await openRuns()
  const id = await exported([billOf(1), billOf(2)])
  const [first, second] = (await run(id)).lines
  const [one, two] = ['b'.repeat(64), 'c'.repeat(64)]
  // The node forgot to list them.
  node.mine(one, [transferTo(address(1), 500_000n)], { at: clock.now(), isListed: false })
  node.mine(two, [transferTo(address(2), 30_000n)], { at: clock.now(), isListed: false })
  const lines = [`run-${id}-${first?.id},${one.toUpperCase()}`, `run-${id}-${second?.id},${two}`]
  expect((await hashes(id, [...lines, `run-${id}-99,${two}`, `run-1-x,xyz`])).body).toMatchObject({
    isApplied: false,
    refusedCount: 2,
  })
  expect((await hashes(id, lines, '?dryRun=true')).body).toMatchObject({ isApplied: false, refusedCount: 0 })
  expect((await run(id)).lines.map(({ state }) => state)).toEqual(['waiting', 'waiting'])
  expect((await hashes(id, lines)).body).toMatchObject({
    isApplied: true,
    lines: [{ outcome: 'looked_up' }, {}],
  })
  expect((await run(id)).lines.map(({ state }) => state)).toEqual(['sent', 'sent'])
  await read()
  await read()
  expect((await run(id)).lines.map(({ state }) => state)).toEqual(['paid', 'partly_paid'])
  const { body } = await call(4, 'GET', `/api/payments/all?periodId=${billOf(2)}`)
  expect(body[0]).toMatchObject({ receivedAmount: '0.03', paymentVerification: 'underpaid' })
  expect((await run(id)).status).toBe('exported')
})

test('a hash that is replaced is looked up no more, unless another line has it or the node lists it', async () => {
  const { address, billOf, clock, db, exported, hashes, node, read, run, transferTo } = await openRuns()
  const id = await exported([billOf(1), billOf(2), billOf(3)])
  const { lines } = await run(id)
  const [one, two, listed, right] = ['b', 'c', 'd', 'e'].map((digit) => digit.repeat(64))
  const enter = async (...entered: (string | undefined)[]) => {
    const text = entered.map((hash, index) => `run-${id}-${lines[index]?.id},${hash}`)
    expect((await hashes(id, text)).body).toMatchObject({ isApplied: true })
    const left = await rows<{ txid: string }>(db, sql`select txid from treasury_candidates order by txid`)
    return left.map(({ txid }) => txid)
  }
  expect(await enter(one, two, listed)).toEqual([one, two, listed])
  node.mine(listed ?? '', [transferTo(address(7), 5n)], { at: clock.now(), isShown: false })
  await read()
  expect(await enter(two, two, right)).toEqual([two, listed, right])
  expect(await enter(right, two, right)).toEqual([two, listed, right])
  expect(await enter(right, right, right)).toEqual([listed, right])
})

test('a file of a wallet is read as it comes: its columns, spellings and failed lines', async () => {
  const { billOf, call, exported, run } = await openRuns()
  const id = await exported([billOf(1), billOf(2), billOf(3)])
  const { lines } = await run(id)
  const send = (data: string) => call(4, 'POST', `/api/payment-runs/${id}/hashes`, { body: { data } })
  const [one, two] = ['b'.repeat(64), 'c'.repeat(64)]
  const [first, second, third] = lines
  const { body } = await send(
    [
      'Txn Hash,To,Amount,Status,Fee',
      `https://tronscan.org/#/transaction/${one},\u200b${first?.usdtAddress},"${first?.amount.replace('.', ',')} USDT",SUCCESS,1`,
      `0x${two.toUpperCase()}\u200e,${second?.usdtAddress},${Number(second?.amount).toFixed(6)}000000000000,SUCCESS,1`,
      `,${third?.usdtAddress},${third?.amount},,`,
      `${'d'.repeat(64)},${third?.usdtAddress},${third?.amount},FAILED - OUT OF ENERGY,1`,
    ].join('\n'),
  )
  expect(body).toMatchObject({
    isApplied: true,
    lines: [
      { reference: `run-${id}-${first?.id}`, transactionHash: one, outcome: 'looked_up' },
      { reference: `run-${id}-${second?.id}`, transactionHash: two, outcome: 'looked_up' },
      { outcome: 'skipped', message: 'It has no hash, so nothing is taken from this line.' },
      {
        outcome: 'skipped',
        message: 'The file says FAILED - OUT OF ENERGY, so nothing is taken from this line.',
      },
    ],
  })
  expect((await run(id)).lines.map(({ state }) => state)).toEqual(['sent', 'sent', 'waiting'])
  const wrong = await send(`txid,address,amount\n${one},${third?.usdtAddress},${Number(third?.amount) * 10}`)
  expect(wrong.body).toMatchObject({
    isApplied: false,
    lines: [{ outcome: 'refused', message: expect.stringContaining('give the reference') }],
  })
  expect((await send(`txid,amount\n${one},1`)).status).toBe(400)
})

test('without a node hashes are written down, marked as unverified, and each pays once', async () => {
  const { billing, call, db, exported, hashes, run } = await openRuns({ hasNode: false })
  const id = await exported()
  const { lines } = await run(id)
  // Nothing can tell bundled debts apart without the chain.
  expect(lines.map(({ debts }) => debts.length)).toEqual([1, 1, 1, 1])
  const same = 'b'.repeat(64)
  expect(
    (
      await hashes(
        id,
        lines.map((line) => `run-${id}-${line.id},${same}`),
      )
    ).body.refusedCount,
  ).toBe(3)
  const own = lines.map((line, index) => `run-${id}-${line.id},${String(index).repeat(64)}`)
  expect((await hashes(id, own)).body).toMatchObject({ isApplied: true, refusedCount: 0 })
  expect((await hashes(id, own)).body.refusedCount).toBe(4)
  await billing.readTreasury()
  expect((await run(id)).status).toBe('closed')
  expect(await ledgerOf(db)).toMatchObject({ paid: '211550000' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true })
  const { body } = await call(4, 'GET', '/api/payments/all')
  expect(
    new Set(body.map((payment: { paymentVerification: string }) => payment.paymentVerification)),
  ).toEqual(new Set(['unverified']))
})

test('a file of hashes that cannot be read is refused', async () => {
  const { billOf, call, exported } = await openRuns()
  const id = await exported([billOf(2)])
  const send = (data: string) => call(4, 'POST', `/api/payment-runs/${id}/hashes`, { body: { data } })
  for (const bad of ['', 'a,b\n1,2', 'reference,transaction_hash', 'reference,transaction_hash\n"1,2'])
    expect([(await send(bad)).status, Object.keys((await send(bad)).body.fields)]).toEqual([400, ['data']])
  const many = (count: number) => `reference,transaction_hash\n${'1-1,x\n'.repeat(count)}`
  expect((await send(many(501))).body.message).toContain('At most 500')
  // As many lines and commas as the limit of the body lets through. A reader without limits would take minutes.
  for (const bad of [many(80_000), `reference,transaction_hash\n${','.repeat(400_000)}`]) {
    const { status, body } = await send(bad)
    expect([status, body.code, Object.keys(body.fields)]).toEqual([422, 'unprocessable', ['data']])
  }
})
