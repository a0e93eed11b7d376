// Bills and payouts in one list, each with its next step.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import type { Payable } from '@tollgate/contract/payment-runs/payables.ts'
import { openTestTreasury } from '../../test/money/treasury.ts'

const support = 4
const second = 5
const path = '/api/billing/payables'

/** A bill of 0.50 and a payout of 1.00 of u1, a bill of 0.05 of u2, one of 210 of u3: all of one cycle. */
async function openPayables() {
  const environment = await openTestTreasury()
  const { call, cycleId } = environment
  const list = async (query = '') => {
    const all: Payable[] = []
    let page: string | undefined = `${path}${query}`
    while (page !== undefined) {
      const { body, next } = await call(support, 'GET', page)
      all.push(...body)
      page = next
    }
    return all
  }
  const steps = async (query = '') =>
    Object.fromEntries((await list(query)).map(({ reference, step }) => [reference, step]))
  const bill = (client: number) => `${cycleId}-${client}`
  return {
    ...environment,
    list,
    steps,
    bill,
    billPath: (client: number) => `/api/billing/periods/${bill(client)}`,
  }
}

test('bills and payouts stand in one list, found by client, number and reference, in every order, page after page', async () => {
  const { list, bill, call } = await openPayables()
  const all = await list()
  expect(all.map(({ reference, dueAmount, step }) => [reference, dueAmount, step])).toEqual([
    ['payout-1', '1.00', 'pay'],
    [bill(1), '0.50', 'pay'],
    [bill(2), '0.05', 'pay'],
    [bill(3), '210.00', 'pay'],
  ])
  expect(all[0]).toMatchObject({ kind: 'payout', number: '447700000003', userName: 'u1', runId: null })
  expect(all.map(({ smsCount }) => smsCount)).toEqual([2, 10, 1, 3])
  expect(all[0]?.recordsUrl).toContain('settlement=payout')
  const references = (rows: readonly Payable[]) => rows.map(({ reference }) => reference)
  for (const sort of ['owedSince', 'dueAmount', 'userName'])
    for (const order of ['asc', 'desc']) {
      const whole = await list(`?sort=${sort}&order=${order}`)
      expect(references(await list(`?sort=${sort}&order=${order}&limit=1`))).toEqual(references(whole))
      expect(whole).toHaveLength(4)
    }
  expect(references(await list('?sort=dueAmount&order=desc'))[0]).toBe(bill(3))
  expect(references(await list('?kind=payout'))).toEqual(['payout-1'])
  expect(references(await list('?search=U3'))).toEqual([bill(3)])
  expect(references(await list('?search=00000003'))).toEqual(['payout-1'])
  expect(references(await list('?search=payout-1'))).toEqual(['payout-1'])
  expect((await call(support, 'GET', `${path}/summary`)).body).toEqual({
    steps: [{ step: 'pay', count: 4, dueAmount: '211.55' }],
    count: 4,
    dueAmount: '211.55',
  })
  const { text } = await call(support, 'GET', `${path}/export?kind=bill`)
  expect(text.trim().split('\n')).toHaveLength(4)
  expect((await call(support, 'GET', '/api/payouts?id=1')).body).toHaveLength(1)
  expect((await call(1, 'GET', path)).status).toBe(403)
})

test('each debt has the step that comes next, whatever was done about it', async () => {
  const { aClosedCycle, billing, billPath, bill, call, clock, db, send, steps, address } =
    await openPayables()
  await call(support, 'PUT', `${billPath(2)}/withhold`, { body: { reason: 'in review' } })
  const pay = (by: number, transactionHash: string) =>
    call(by, 'PUT', `${billPath(3)}/pay`, { body: { transactionHash } })
  const hash = send([address(3), 211_000_000n])
  await pay(support, hash)
  const run = await call(support, 'POST', '/api/payment-runs', { body: { references: ['payout-1'] } })
  expect(await steps()).toEqual({
    'payout-1': 'in_run',
    [bill(1)]: 'pay',
    [bill(2)]: 'stopped',
    [bill(3)]: 'approve',
  })
  await pay(second, hash)
  expect((await steps('?step=confirming'))[bill(3)]).toBe('confirming')
  clock.advance(10_000)
  await billing.checkPayments()
  expect((await steps())[bill(3)]).toBe('decide')
  await sql`insert into parked_accounts (user_id, reason, parked_at) values (1, 'a difference', ${clock.now()})`.execute(
    db,
  )
  expect(await steps()).toMatchObject({ 'payout-1': 'in_run', [bill(1)]: 'parked' })
  await sql`delete from parked_accounts`.execute(db)
  await sql`insert into settings (key, value) values ('payable_after_days', '3')`.execute(db)
  const { id } = await aClosedCycle({ client: 1 }, { client: 6 })
  expect(await steps('?kind=bill&search=-')).toMatchObject({
    [`${id}-1`]: 'not_yet',
    [`${id}-6`]: 'no_address',
  })
  const { body } = await call(support, 'GET', `${path}/summary`)
  expect(body.steps.map(({ step, count }: { step: string; count: number }) => [step, count])).toEqual([
    ['decide', 1],
    ['in_run', 1],
    ['no_address', 1],
    ['not_yet', 1],
    ['pay', 1],
    ['stopped', 1],
  ])
  expect(run.status).toBe(201)
})

test('what is ready, paid and held is the sum of the list that the figure leads to, payouts included', async () => {
  const { billing, call, clock, list, billPath, send, address } = await openPayables()
  const micro = (amounts: readonly string[]) =>
    amounts.reduce((sum, amount) => sum + BigInt(Math.round(Number(amount) * 1e6)), 0n)
  const compare = async () => {
    const { ready, paid } = (await call(support, 'GET', '/api/billing/summary')).body
    const payable = await list('?view=pay')
    expect(ready).toMatchObject({ count: payable.length })
    expect(micro([ready.amount])).toBe(micro(payable.map(({ dueAmount }) => dueAmount)))
    const { body } = await call(support, 'GET', `/api/payments/all?status=confirmed&from=${paid.since}`)
    const received = body.map(({ receivedAmount }: { receivedAmount: string }) => receivedAmount)
    expect([paid.count, micro([paid.amount])]).toEqual([body.length, micro(received)])
    return { ready: ready.count, paid: paid.count }
  }
  expect(await compare()).toEqual({ ready: 4, paid: 0 })
  await call(support, 'PUT', `${billPath(2)}/withhold`, { body: { reason: 'in review' } })
  expect(await compare()).toEqual({ ready: 3, paid: 0 })
  const hash = send([address(1), 1_000_000n])
  await call(support, 'PUT', '/api/payouts/1/process', { body: { transactionHash: hash } })
  expect(await compare()).toEqual({ ready: 2, paid: 0 })
  clock.advance(10_000)
  await billing.checkPayments()
  expect(await compare()).toEqual({ ready: 2, paid: 1 })
  expect((await list('?view=us')).map(({ step }) => step)).toEqual(['stopped'])
  clock.advance(40 * 86_400_000)
  expect(await compare()).toEqual({ ready: 2, paid: 0 })
})

test('a client is told what it is owed in sum, and how far the payment is', async () => {
  const { call, bill, billPath } = await openPayables()
  const due = async (client: number) => (await call(client, 'GET', '/api/billing/due')).body
  expect(await due(1)).toMatchObject({
    dueAmount: '1.50',
    count: 2,
    parts: [{ state: 'pay', count: 2, dueAmount: '1.50', periodId: null }],
  })
  const run = await call(support, 'POST', '/api/payment-runs', {
    body: { references: ['payout-1', bill(1)] },
  })
  expect(await due(1)).toMatchObject({ dueAmount: '1.50', parts: [{ state: 'drafted', count: 2 }] })
  expect((await call(second, 'PUT', `/api/payment-runs/${run.body.id}/approve`)).status).toBe(200)
  expect(await due(1)).toMatchObject({ parts: [{ state: 'approved', count: 2, at: run.body.draftedAt }] })
  await call(support, 'PUT', `${billPath(2)}/withhold`, { body: { reason: 'in review' } })
  expect(await due(2)).toMatchObject({
    dueAmount: '0.05',
    parts: [{ state: 'review', count: 1, periodId: bill(2) }],
  })
  expect(await due(support)).toEqual({ dueAmount: '0.00', count: 0, parts: [] })
})
