// What is done about bills before they are paid: each amendment, what it posts, and what it never changes.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { addressOf, openTestBilling } from '../../test/money/billing.ts'
import { row } from '../platform/db.ts'
import { reason, pays, aScene, accounts, expectBalance } from './testing/amend-environment.ts'

test('a withheld bill cannot be paid, in no way, until it is resumed', async () => {
  const { amend, billNow, call, pay } = await aScene()
  const withheld = await amend(4, 'withhold', { clientReason: 'We check some messages.' })
  expect([withheld.status, withheld.body.status]).toEqual([200, 'done'])
  expect((await amend(4, 'withhold')).status).toBe(409)
  expect((await pay(5)).status).toBe(409)
  const [line] = (await call(4, 'GET', '/api/payment-runs/draft')).body.lines
  expect(line.problem).toContain('It is withheld for review')
  expect((await billNow()).withheld.reason).toBe(reason)
  expect((await billNow(1)).withheld.reason).toBe('We check some messages.')
  const csv = async (userId: number, path: string) => (await call(userId, 'GET', `${path}/export`)).text
  expect(await csv(1, '/api/billing/periods')).toContain(',We check some messages.,')
  expect(await csv(1, '/api/billing/periods')).not.toContain(reason)
  expect(await csv(4, '/api/billing/all-periods')).toContain(`,${reason},`)
  expect((await call(4, 'GET', '/api/billing/summary')).body.ready.count).toBe(0)
  expect((await amend(5, 'resume')).status).toBe(200)
  expect((await billNow()).withheld).toBeNull()
  expect((await pay(5)).body.status).toBe('paid')
  expect((await amend(4, 'withhold')).status).toBe(409)
})

test('a payment that waits for approval cannot be approved while the bill is withheld', async () => {
  const { amend, pay } = await aScene(true)
  expect((await pay(4)).body.approval).not.toBeNull()
  expect((await amend(5, 'withhold')).status).toBe(200)
  expect((await pay(5)).status).toBe(409)
  await amend(6, 'resume')
  expect((await pay(5)).body.status).toBe('paid')
})

test('a credit note takes its amount off what is due, and the bill and its statement stay', async () => {
  const environment = await aScene()
  const { amend, bill, billNow, billing, call, db, pay } = environment
  await billing.signStatements()
  const statement = async () => (await call(1, 'GET', `${bill.path}/statement`)).text
  const [before, lines] = [await statement(), (await call(1, 'GET', `${bill.path}/lines`)).body]
  expect((await amend(4, 'credit-notes', { amount: '0.2' })).status).toBe(403)
  for (const bad of [{}, { amount: '0' }, { amount: '0.500001' }, { amount: '0.1', messageIds: ['x'] }])
    expect((await amend(6, 'credit-notes', bad)).status).toBe(400)
  const made = await amend(6, 'credit-notes', { amount: '0.2', clientReason: 'Ten messages were no SMS.' })
  expect([made.status, made.body]).toMatchObject([
    201,
    { kind: 'credit_note', status: 'done', amount: '0.20' },
  ])
  expect(await billNow()).toMatchObject({ totalCost: '0.50', creditedAmount: '0.20', dueAmount: '0.30' })
  expect(await accounts(db)).toEqual({ adjustment: 20, billed: 30, traffic_expense: -50 })
  await expectBalance(environment)
  expect(await statement()).toBe(before)
  expect((await call(1, 'GET', `${bill.path}/lines`)).body).toEqual(lines)
  expect((await pay(4)).body).toMatchObject({ status: 'paid', receivedAmount: '0.30' })
  expect(await accounts(db)).toEqual({ adjustment: 20, paid: 30, traffic_expense: -50 })
  await expectBalance(environment)
  expect((await amend(6, 'credit-notes', { amount: '0.1' })).status).toBe(409)
})

test('a client reads the credit note, and not why staff made it; nobody else reads it', async () => {
  const { amend, bill, call } = await aScene()
  const { body } = await amend(6, 'credit-notes', {
    amount: '0.2',
    clientReason: 'Ten messages were no SMS.',
  })
  const list = async (userId: number) => (await call(userId, 'GET', `${bill.path}/amendments`)).body
  expect(await list(4)).toMatchObject([
    { reason, clientReason: 'Ten messages were no SMS.', requestedBy: 'u6' },
  ])
  expect(await list(1)).toMatchObject([
    { reason: 'Ten messages were no SMS.', requestedBy: '', decidedBy: '' },
  ])
  expect((await call(2, 'GET', `${bill.path}/amendments`)).status).toBe(404)
  const pdf = `/api/billing/amendments/${body.id}/credit-note.pdf`
  const answer = await call(1, 'GET', pdf)
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/pdf'])
  expect(answer.rawPayload.subarray(0, 5).toString()).toBe('%PDF-')
  expect((await call(2, 'GET', pdf)).status).toBe(404)
  expect((await call(4, 'GET', pdf)).status).toBe(200)
})

test('above the limit a second person accepts a credit note; until then the bill is not paid', async () => {
  const environment = await aScene(true)
  const { amend, billNow, decide, pay } = environment
  const { body } = await amend(6, 'credit-notes', { amount: '150' })
  expect(body.status).toBe('pending')
  expect(await billNow()).toMatchObject({
    creditedAmount: '0.00',
    dueAmount: '200.00',
    pendingAmendment: { id: body.id, kind: 'credit_note', amount: '150.00', requestedBy: 'u6' },
  })
  expect((await billNow(1)).pendingAmendment).toBeNull()
  expect((await pay(4)).status).toBe(409)
  expect((await amend(7, 'credit-notes', { amount: '1' })).status).toBe(409)
  expect((await decide(6, body.id)).status).toBe(409)
  const answers = await Promise.all([4, 5, 7, 4, 5].map((userId) => decide(userId, body.id)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await billNow()).toMatchObject({ creditedAmount: '150.00', dueAmount: '50.00' })
  await expectBalance(environment)
})

test('whoever asked takes an amendment back, and the bill is as before', async () => {
  const { amend, billNow, decide, pay } = await aScene(true)
  const { body } = await amend(6, 'void')
  expect((await decide(6, body.id, 'reject')).body.status).toBe('rejected')
  expect((await decide(7, body.id)).status).toBe(409)
  expect(await billNow()).toMatchObject({ status: 'sent_to_support', pendingAmendment: null })
  await pay(4)
  expect((await pay(5)).body.status).toBe('paid')
})

test('a bill credited in full is void, and nothing can be paid for it', async () => {
  const environment = await aScene()
  const { amend, billNow, db, pay } = environment
  await amend(6, 'credit-notes', { amount: '0.5' })
  expect(await billNow()).toMatchObject({ status: 'void', dueAmount: '0.00', creditedAmount: '0.50' })
  expect((await pay(4)).status).toBe(409)
  expect(await accounts(db)).toEqual({ adjustment: 50, traffic_expense: -50 })
  await expectBalance(environment)
})

test('a void bill is made anew with the open period, whose bill and statement name it', async () => {
  const environment = await aScene()
  const { amend, bill, billNow, billing, call, closeCycle, db, openTotal, pay } = environment
  await billing.signStatements()
  const before = (await call(1, 'GET', `${bill.path}/statement`)).text
  expect((await amend(4, 'void')).status).toBe(403)
  const answers = await Promise.all(
    [6, 7, 6].map((userId) => amend(userId, 'void', { clientReason: 'Wrong name.' })),
  )
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409])
  expect(await billNow()).toMatchObject({ status: 'void', totalCost: '0.50', dueAmount: '0.00' })
  expect((await pay(4)).status).toBe(409)
  expect(await openTotal()).toBe('0.50')
  expect(await accounts(db)).toEqual({ payable: 50, traffic_expense: -50 })
  expect((await call(1, 'GET', `${bill.path}/statement`)).text).toBe(before)
  const anew = await closeCycle()
  await billing.signStatements()
  await expectBalance(environment)
  const path = `/api/billing/periods/${anew.id}-1`
  const text = `Bill #${bill.id} was voided and made anew: Wrong name.`
  expect((await call(1, 'GET', `${path}/lines`)).body).toMatchObject([{ amount: '0.50', reason: text }])
  expect((await call(1, 'GET', `${path}/statement`)).text).toContain(text)
  expect((await call(4, 'PUT', `${path}/pay`, pays('b'))).body).toMatchObject({ status: 'paid' })
  await expectBalance(environment)
})

test('a bill goes to another address by two persons, after the waiting time, and only to the profile’s', async () => {
  const environment = await aScene()
  const { amend, bill, billNow, call, clock, db, decide, pay } = environment
  expect((await amend(4, 'readdress')).status).toBe(422)
  const next = addressOf(9)
  await call(1, 'PUT', '/api/user/profile', { body: { fullName: 'Client 1', usdtAddress: next } })
  const { body } = await amend(4, 'readdress')
  expect(body).toMatchObject({ status: 'pending', usdtAddress: next, formerAddress: addressOf(1) })
  expect((await pay(5)).status).toBe(409)
  clock.advance(71 * 3_600_000)
  expect((await decide(5, body.id)).status).toBe(409)
  clock.advance(3_600_000)
  expect((await decide(4, body.id)).status).toBe(409)
  expect((await decide(5, body.id)).body.status).toBe('done')
  expect((await billNow()).usdtAddress).toBe(next)
  expect((await pay(5)).body).toMatchObject({ status: 'paid', usdtAddress: next })
  expect(
    await row(
      db,
      sql`select before, after from audit_entries where action = 'billing_period.readdress' and object_id = ${bill.id}`,
    ),
  ).toMatchObject({ before: { usdtAddress: addressOf(1) }, after: { usdtAddress: next, requestedBy: 'u4' } })
})

test('payouts that went to the lost address follow the bill', async () => {
  const environment = await openTestBilling()
  const { aClosedCycle, aPayee, call, clock } = environment
  await aPayee(1)
  const { id } = await aClosedCycle({}, { number: 3 }, { client: 2, number: 4 })
  await call(1, 'PUT', '/api/user/profile', { body: { fullName: 'Client 1', usdtAddress: addressOf(9) } })
  clock.advance(72 * 3_600_000)
  const { body } = await call(4, 'PUT', `/api/billing/periods/${id}-1/readdress`, { body: { reason } })
  clock.advance(72 * 3_600_000)
  const decided = await call(5, 'PUT', `/api/billing/amendments/${body.id}/decide`, {
    body: { action: 'accept', reason: 'seen the new wallet' },
  })
  expect(decided.body.status).toBe('done')
  const payouts = (await call(4, 'GET', '/api/payouts')).body as { userName: string; usdtAddress: string }[]
  expect(payouts.find(({ userName }) => userName === 'u1')?.usdtAddress).toBe(addressOf(9))
  expect(payouts.find(({ userName }) => userName === 'u2')?.usdtAddress).not.toBe(addressOf(9))
})

test('of a payment and a voiding at once one wins, whichever', async () => {
  const environment = await aScene()
  const { amend, db, pay } = environment
  const [paid, voided] = await Promise.all([pay(4), amend(6, 'void')])
  expect([paid.status, voided.status].toSorted((a, b) => a - b)).toEqual([200, 409])
  const sums = await accounts(db)
  expect(sums).toEqual({ [paid.status === 200 ? 'paid' : 'payable']: 50, traffic_expense: -50 })
  await expectBalance(environment)
})
