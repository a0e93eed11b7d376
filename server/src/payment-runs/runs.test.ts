// A payment run from its draft to its end, and everything that keeps one from paying twice or wrongly.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { contractHex } from '../../test/money/treasury.ts'
import { ledgerOf } from '../../test/money/bills-on-chain.ts'
import { addressBytes, toAddress } from '../rates/index.ts'
import { openRuns } from './testing/runs-environment.ts'

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
  expect(csv.headers['content-disposition']).toContain(`payment-run-${id}.csv`)
  expect(csv.text.trim().split('\r\n')).toEqual([
    'address,amount,reference',
    `${address(1)},1.50,run-${id}-1`,
    `${address(2)},0.05,run-${id}-2`,
    `${address(3)},210.00,run-${id}-3`,
  ])
  const multisend = await file(id, 'multisend')
  expect(multisend.headers['content-disposition']).toContain(`payment-run-${id}-multisend.txt`)
  expect(multisend.text).toBe(`${address(1)},1.50\n${address(2)},0.05\n${address(3)},210.00\n`)
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
  // What the machine matched is the machine's, also in the ledger.
  const { rows: booked } = await sql`select actor_id, actor, after ->> 'run' as run from audit_entries
    where action like '%.book_transfer'`.execute(db)
  expect(booked).toEqual(Array(booked.length).fill({ actor_id: null, actor: 'system', run: id }))
  expect(booked.length).toBeGreaterThan(2)
  const { rows: posted } =
    await sql`select distinct actor_id from ledger_entries where kind = 'payment'`.execute(db)
  expect(posted).toEqual([{ actor_id: null }])
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
