// A payment run from its draft to its end, and everything that keeps one from paying twice or wrongly.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { DraftLine, RunDetail } from '@tollgate/contract/payment-runs/payment-runs.ts'
import { contractHex, openTreasury } from '../../test/money/treasury.ts'
import { ledgerOf } from '../../test/money/bills-on-chain.ts'
import { rows } from '../platform/db.ts'
import { addressBytes, toAddress } from '../rates/index.ts'

type Options = Parameters<typeof openTreasury>[0]

async function openRuns(options: Options = {}) {
  const scene = await openTreasury(options)
  const { call, cycleId } = scene
  const draft = async (): Promise<DraftLine[]> => (await call(4, 'GET', '/api/payment-runs/draft')).body.lines
  const all = async () =>
    (await draft())
      .filter(({ problem }) => problem === '')
      .flatMap(({ debts }) => debts.map((debt) => debt.reference))
  const create = async (references?: string[], by = 4) =>
    call(by, 'POST', '/api/payment-runs', {
      body: { references: references ?? (await all()), note: 'week 10' },
    })
  const step = (id: string, verb: string, by: number, body?: object) =>
    call(by, 'PUT', `/api/payment-runs/${id}/${verb}`, body === undefined ? {} : { body })
  const run = async (id: string): Promise<RunDetail> => (await call(4, 'GET', `/api/payment-runs/${id}`)).body
  return {
    ...scene,
    draft,
    create,
    step,
    run,
    /** The reference of a client's bill. */
    billOf: (client: number) => `${cycleId}-${client}`,
    file: async (id: string, form = 'csv') => call(5, 'GET', `/api/payment-runs/${id}/file?form=${form}`),
    /** A run that is with the wallet: drafted by u4, approved and exported by u5. */
    exported: async (references?: string[]): Promise<string> => {
      const { status, body } = await create(references)
      if (status !== 201) throw new Error(`The run was refused: ${body.message}`)
      for (const verb of ['approve', 'export']) {
        const answer = await step(body.id, verb, 5)
        if (answer.status !== 200) throw new Error(`${verb} was refused: ${answer.body.message}`)
      }
      return body.id
    },
    hashes: (id: string, lines: string[], query = '') =>
      call(5, 'POST', `/api/payment-runs/${id}/hashes${query}`, {
        body: { data: ['reference,transaction_hash', ...lines].join('\n') },
      }),
    states: async (id: string) => (await run(id)).lines.map(({ userName, state }) => `${userName} ${state}`),
  }
}

test('a run is drafted by one, approved by another, exported, matched on chain, and closes by itself', async () => {
  const { address, billOf, billing, call, create, db, draft, file, read, run, send, states, step } =
    await openRuns()
  await read()
  const lines = await draft()
  expect(
    lines.map(({ userName, amount, debts, problem }) => [userName, amount, debts.length, problem]),
  ).toEqual([
    ['u1', '1.50', 2, ''],
    ['u2', '0.05', 1, ''],
    ['u3', '210.00', 1, ''],
  ])
  expect(lines[0]?.warnings).toContain('Nothing was ever paid to this address.')
  const made = await create()
  expect([made.status, made.body]).toMatchObject([201, { status: 'draft', lineCount: 3, amount: '211.55' }])
  const { id } = made.body
  expect((await file(id)).status).toBe(409)
  expect((await step(id, 'export', 5)).status).toBe(409)
  // The rule of two persons.
  expect((await step(id, 'approve', 4)).body.message).toContain('second person')
  expect((await step(id, 'approve', 5)).body).toMatchObject({ status: 'approved', approvedBy: 'u5' })
  expect((await step(id, 'export', 5)).body.status).toBe('exported')
  expect((await step(id, 'export', 5)).status).toBe(409)
  const csv = await file(id)
  expect(csv.text.trim().split('\r\n')).toEqual([
    'address,amount,reference',
    `${address(1)},1.50,run-${id}-1`,
    `${address(2)},0.05,run-${id}-2`,
    `${address(3)},210.00,run-${id}-3`,
  ])
  expect((await file(id, 'multisend')).text).toBe(
    `${address(1)},1.50\n${address(2)},0.05\n${address(3)},210.00\n`,
  )
  // One multi-send, and one transfer alone.
  send([address(3), 210_000_000n], [address(1), 1_500_000n])
  await read()
  expect(await states(id)).toEqual(['u1 paid', 'u2 waiting', 'u3 paid'])
  expect((await file(id)).text).not.toContain(address(1))
  send([address(2), 50_000n])
  await read()
  expect(await run(id)).toMatchObject({ status: 'closed', closedBy: '', paidCount: 3, paidAmount: '211.55' })
  expect((await file(id)).body.message).toContain('second time')
  const { body: bills } = await call(4, 'GET', '/api/billing/all-periods?status=paid')
  expect(
    bills.map(({ paymentVerification }: { paymentVerification: string }) => paymentVerification),
  ).toEqual(Array(3).fill('verified'))
  expect(await ledgerOf(db)).toMatchObject({ paid: '211550000' })
  await billing.watchLedger()
  expect(await billing.ledgerState()).toMatchObject({ balanced: true, parkedCount: 0 })
  expect(billOf(1)).toBe(bills.at(-1)?.id)
})

test('what cannot be paid is not in the draft, and a run of it is refused', async () => {
  const { address, billOf, clock, create, db, draft, node } = await openRuns()
  const problems = async () =>
    Object.fromEntries((await draft()).map(({ userName, problem }) => [userName, problem]))
  await sql`insert into parked_accounts (user_id, reason, parked_at) values (2, 'It differs.', now())`.execute(
    db,
  )
  node.blacklist(addressBytes(address(3)) ?? '')
  expect(await problems()).toEqual({
    u1: '',
    u2: expect.stringContaining('does not balance'),
    u3: expect.stringContaining('frozen'),
  })
  for (const client of [2, 3]) expect((await create([billOf(client)])).status).toBe(409)
  expect((await create(['99-1'])).status).toBe(404)
  expect((await create(['nonsense'])).status).toBe(400)
  await sql`update billing_periods set payable_from = ${new Date(clock.now().getTime() + 1)}`.execute(db)
  const problemOf = async (reference: string) =>
    (await draft()).find(({ debts }) => debts.some((debt) => debt.reference === reference))?.problem
  expect(await problemOf(billOf(1))).toContain('may be paid from')
  await sql`update billing_periods set usdt_address = ${toAddress('33'.repeat(20))}, payable_from = bill_sent_at`.execute(
    db,
  )
  expect(await problemOf(billOf(3))).toContain('own wallets')
})

test('a debt is in one run at a time, and is not paid by hand meanwhile', async () => {
  const { billOf, call, create, draft, step } = await openRuns()
  const both = await Promise.all([create([billOf(1)]), create([billOf(1)], 5)])
  expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 409])
  const id = both.find(({ status }) => status === 201)?.body.id
  const body = { transactionHash: 'e'.repeat(64) }
  const byHand = await call(4, 'PUT', `/api/billing/periods/${billOf(1)}/pay`, { body })
  expect([byHand.status, byHand.body.message]).toEqual([409, expect.stringContaining(`payment run ${id}`)])
  expect((await draft()).find(({ debts }) => debts[0]?.reference === billOf(1))?.problem).toContain(
    `run ${id}`,
  )
  expect((await step(id, 'cancel', 4, { reason: 'later' })).body).toMatchObject({ status: 'cancelled' })
  expect((await step(id, 'approve', 5)).status).toBe(409)
  expect((await create([billOf(1)])).status).toBe(201)
})

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

test('nobody drafts, approves or exports a run with an account that is his own', async () => {
  const { aClosedCycle, aPayee, create, step } = await openRuns()
  await aPayee(5)
  const { id: cycleId } = await aClosedCycle({ client: 5, count: 1 })
  expect((await create([`${cycleId}-5`], 5)).status).toBe(403)
  const { body } = await create([`${cycleId}-5`])
  expect((await step(body.id, 'approve', 5)).status).toBe(403)
  expect((await step(body.id, 'approve', 6)).status).toBe(200)
  expect((await step(body.id, 'export', 5)).status).toBe(403)
})

test('a run is not approved once a debt in it has changed', async () => {
  const { billOf, create, db, step } = await openRuns()
  const { body } = await create([billOf(1)])
  await sql`update billing_periods set reduced_micro = 1 where user_id = 1`.execute(db)
  const answer = await step(body.id, 'approve', 5)
  expect([answer.status, answer.body.message]).toEqual([
    409,
    expect.stringContaining('changed since the draft'),
  ])
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

test('early, reverted, poisoned and foreign transfers match nothing', async () => {
  const { address, billOf, clock, exported, node, read, send, states, transferTo, transfers } =
    await openRuns()
  // Long before the run was with the wallet.
  send([address(2), 50_000n])
  clock.advance(3_600_000)
  const id = await exported([billOf(2)])
  const good = transferTo(address(2), 50_000n)
  node.mine('b'.repeat(64), [good], { at: clock.now(), result: 'OUT_OF_ENERGY' })
  node.mine('c'.repeat(64), [{ ...good, contract: '55'.repeat(20) }], { at: clock.now() })
  node.mine('d'.repeat(64), [{ ...good, from: '55'.repeat(20) }], { at: clock.now() })
  await read()
  expect(await states(id)).toEqual(['u2 waiting'])
  expect(await transfers()).toMatchObject([{ state: 'open', proposals: [{ fit: 'exact', runId: id }] }])
  // Late, and from us.
  clock.advance(20 * 86_400_000)
  send([address(2), 50_000n])
  await read()
  expect(await states(id)).toEqual(['u2 paid'])
  expect(contractHex).toHaveLength(40)
})

test('two clients with one address and one amount are told apart only when both are paid', async () => {
  const { address, aPayee, aClosedCycle, exported, read, send, states } = await openRuns()
  await aPayee(2, address(1))
  const { id: cycleId } = await aClosedCycle({ client: 1, count: 1 }, { client: 2, count: 1 })
  const id = await exported([`${cycleId}-1`, `${cycleId}-2`])
  send([address(1), 50_000n])
  await read()
  expect(await states(id)).toEqual(['u1 waiting', 'u2 waiting'])
  send([address(1), 50_000n])
  await read()
  expect(await states(id)).toEqual(['u1 paid', 'u2 paid'])
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

test('a run that is closed without its transfer warns whoever pays the debt again', async () => {
  const { address, billOf, draft, exported, read, run, send, step, transfers } = await openRuns()
  const id = await exported([billOf(2)])
  expect((await step(id, 'cancel', 4, { reason: 'x' })).status).toBe(409)
  expect((await step(id, 'close', 4, { reason: 'the wallet refused the file' })).body).toMatchObject({
    status: 'closed',
    closeReason: 'the wallet refused the file',
    closedBy: 'u4',
  })
  expect((await draft()).find(({ userName }) => userName === 'u2')?.warnings[0]).toContain(
    `Payment run ${id}`,
  )
  // The transfer was sent after all. Only a person can book it.
  send([address(2), 50_000n])
  await read()
  expect((await run(id)).lines[0]?.state).toBe('waiting')
  expect(await transfers('?state=open')).toMatchObject([{ proposals: [{ fit: 'exact', runId: null }] }])
})

test('the smallest payment, bundling and netting are settings', async () => {
  const { billOf, call, create, db, draft } = await openRuns()
  const set = (key: string, value: string) =>
    sql`insert into settings (key, value) values (${key}, ${value})
      on conflict (key) do update set value = excluded.value`.execute(db)
  await set('run_minimum', '1')
  expect((await draft()).map(({ userName, problem }) => [userName, problem === ''])).toEqual([
    ['u1', true],
    ['u2', false],
    ['u3', true],
  ])
  expect((await create([billOf(2)])).body.message).toContain('smallest payment of 1.00 USDT')
  await set('run_bundling', 'off')
  expect((await draft()).filter(({ userName }) => userName === 'u1')).toHaveLength(2)
  await set('run_minimum', '0')
  await sql`insert into client_credits (user_id, amount_micro) values (3, 10000000)`.execute(db)
  const amounts = async () => (await draft()).map(({ amount }) => amount)
  expect(await amounts()).toEqual(['0.50', '0.05', '200.00', '1.00'])
  await set('run_netting', 'off')
  expect(await amounts()).toContain('210.00')
  await set('run_netting', 'on')
  const { body } = await create([billOf(3)])
  expect(body.amount).toBe('200.00')
  const [bill] = (await call(4, 'GET', '/api/billing/all-periods?userId=3')).body
  expect(bill).toMatchObject({ setOffAmount: '10.00', dueAmount: '200.00' })
})

test('debts are shown by their age', async () => {
  const { aClosedCycle, call, clock } = await openRuns()
  // Owed for 21 days, and the new bill for 14.
  await aClosedCycle({ client: 1, count: 1 })
  clock.advance(14 * 86_400_000)
  const { body } = await call(4, 'GET', '/api/billing/aging')
  expect(body.totals).toEqual({
    days7: '0.00',
    days14: '0.05',
    days30: '211.55',
    older: '0.00',
    total: '211.60',
  })
  expect(body.clients[0]).toMatchObject({ userName: 'u1', debtCount: 3, days30: '1.50', hasAddress: true })
  expect(body.overdue).toMatchObject({ afterDays: 7, count: 5, amount: '211.60' })
  expect((await call(1, 'GET', '/api/billing/aging')).status).toBe(403)
})

test('runs are listed newest first, and are for those who may pay', async () => {
  const { billOf, call, create } = await openRuns()
  for (const client of [1, 2]) await create([billOf(client)])
  const { body } = await call(4, 'GET', '/api/payment-runs?limit=1')
  expect(body).toMatchObject([{ id: '2', status: 'draft', draftedBy: 'u4', note: 'week 10' }])
  expect((await call(4, 'GET', '/api/payment-runs?status=closed')).body).toEqual([])
  expect((await call(4, 'GET', '/api/payment-runs/99')).status).toBe(404)
  expect((await call(1, 'GET', '/api/payment-runs')).status).toBe(403)
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
