// Bills, payments and requests as events: in the transaction that causes them, and delivered whatever happens afterwards.
import { afterAll, beforeEach, expect, test } from 'vitest'
import { sql } from 'kysely'
import { openTestApi } from '../../test/http/api.ts'
import { eventually } from '../../test/environment/eventually.ts'
import { silentLog } from '../../test/environment/database.ts'
import { openTestBilling } from '../../test/money/billing.ts'
import { isSigned, openReceiver } from '../../test/stand-ins/receiver.ts'
import { createEgress } from '../platform/security/egress.ts'
import { createSecrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'
import { createEndpoints, oneEvent } from './index.ts'

const money = await openTestBilling({ announce: (tx, events) => node.announce(tx, events) })
const { db, call, aBill, aPayee, aClosedCycle } = money
const egress = createEgress(['127.0.0.0/8'])
afterAll(() => egress.close())
const newNode = () =>
  createEndpoints({ db, audit: money.audit, secrets: createSecrets('key material'), egress, log: silentLog })
let node = newNode()
const api = await openTestApi(node.routes)
const cookies = new Map(
  [1, 2].map((userId) => [userId, api.signIn({ userId, username: `u${userId}`, role: 'user' })]),
)
afterAll(() => node.stop())

beforeEach(async () => {
  await node.stop()
  await sql`delete from endpoints`.execute(db)
  node = newNode()
})

async function addOwn(userId: number, url: string, events: readonly string[]) {
  const { status, body } = await api.call('POST', '/api/user/endpoints', {
    cookie: cookies.get(userId),
    body: { name: 'ERP', endpoint: url, events },
  })
  expect(status).toBe(201)
  return body
}

const typesAt = (receiver: Awaited<ReturnType<typeof openReceiver>>) =>
  receiver.received.map(({ body }) => body.type as string).toSorted()

test('a close tells of each bill and payout, a payment of what it paid; nobody else is told', async () => {
  const [mine, theirs] = [await openReceiver(), await openReceiver()]
  const endpoint = await addOwn(1, mine.url, ['bill', 'payment'])
  await addOwn(2, theirs.url, ['bill', 'payment', 'request'])
  await aPayee(1)
  const { id: cycleId } = await aClosedCycle({}, { number: 3, count: 4, amountMicro: 500_000 })
  const path = `/api/billing/periods/${cycleId}-1`
  const transactionHash = 'a'.repeat(64)
  expect((await call(4, 'PUT', `${path}/pay`, { body: { transactionHash } })).body.status).toBe('paid')
  // Nothing was sent so far: the node begins now, as after a crash.
  expect(mine.received).toEqual([])
  await node.start({ delivers: true })
  await mine.until(4)
  expect(typesAt(mine)).toEqual(['bill.created', 'bill.updated', 'payment.confirmed', 'payout.created'])
  const of = (type: string) => mine.received.find(({ body }) => body.type === type)!
  const bill = (await call(1, 'GET', '/api/billing/periods')).body.find(
    ({ id }: { id: string }) => id === `${cycleId}-1`,
  )
  const { id, periodStart, periodEnd, totalCost, totalSmsCount, usdtAddress, billSentAt, payableFrom } = bill
  const common = {
    id,
    periodStart,
    periodEnd,
    totalCost,
    totalSmsCount,
    usdtAddress,
    billSentAt,
    payableFrom,
  }
  expect(of('bill.created').body.data).toMatchObject({
    ...common,
    status: 'sent_to_support',
    dueAmount: totalCost,
  })
  const { status, paidAt, dueAmount, receivedAmount } = bill
  expect(of('bill.updated').body.data).toMatchObject({ ...common, status, paidAt, dueAmount, receivedAmount })
  expect(of('payment.confirmed').body.data).toMatchObject({
    billId: id,
    payoutId: null,
    amount: totalCost,
    transactionHash,
  })
  expect(of('payout.created').body.data).toMatchObject({
    number: '447700000003',
    smsCount: 4,
    amount: '2.00',
  })
  for (const request of mine.received) expect(isSigned(request, endpoint.apiKey)).toBe(true)
  expect(theirs.received).toEqual([])
})

test('a bill that is paid by set-off is told of after it was made', async () => {
  const receiver = await openReceiver()
  await addOwn(2, receiver.url, ['bill'])
  await sql`insert into client_credits (user_id, amount_micro) values (2, 500000)`.execute(db)
  const { id } = await aBill({ client: 2, count: 1, amountMicro: 500_000 })
  await node.start({ delivers: true })
  await receiver.until(2)
  expect(receiver.received.map(({ body }) => [body.type, body.data])).toEqual([
    ['bill.created', expect.objectContaining({ id, status: 'sent_to_support', dueAmount: '0.50' })],
    ['bill.updated', expect.objectContaining({ id, status: 'paid', dueAmount: '0.00' })],
  ])
  expect(receiver.received.at(-1)?.body.data.paidAt).not.toBeNull()
})

test('an event exists exactly if its cause was committed', async () => {
  const receiver = await openReceiver()
  await addOwn(1, receiver.url, ['request'])
  const announce = (id: string, isKept: boolean) =>
    transaction(db, async (tx) => {
      await node.announce(tx, oneEvent(1, 'request.updated', { id }))
      if (!isKept) throw new Error('undone')
    }).catch(() => undefined)
  await announce('7', false)
  await announce('8', true)
  await node.start({ delivers: true })
  await receiver.until(1)
  expect(receiver.received.map(({ body }) => body.data)).toEqual([{ id: '8' }])
})

test('an endpoint that was switched off, or did not choose the event, is not told', async () => {
  const [off, other] = [await openReceiver(), await openReceiver()]
  const { id } = await addOwn(1, off.url, ['bill'])
  await addOwn(1, other.url, ['message'])
  await api.call('PUT', `/api/user/endpoints/${id}`, { cookie: cookies.get(1), body: { status: 'inactive' } })
  await aBill()
  expect((await sql`select from endpoint_deliveries`.execute(db)).rows).toEqual([])
})

test('a bill that is amended is told of, and the events show in the list of deliveries', async () => {
  const receiver = await openReceiver()
  const { id } = await addOwn(1, receiver.url, ['bill'])
  const bill = await aBill()
  const withheld = await call(4, 'PUT', `${bill.path}/withhold`, {
    body: { reason: 'a look at the traffic', clientReason: 'We look at the traffic.' },
  })
  expect(withheld.status).toBeLessThan(300)
  await node.start({ delivers: true })
  await receiver.until(2)
  expect(receiver.received.at(-1)!.body).toMatchObject({
    type: 'bill.updated',
    data: { id: bill.id, isWithheld: true },
  })
  await eventually(async () =>
    expect(
      (await api.call('GET', `/api/user/endpoints/${id}/deliveries`, { cookie: cookies.get(1) })).body,
    ).toMatchObject([
      { type: 'bill.updated', subject: bill.id, recordId: '', status: 'delivered' },
      { type: 'bill.created', subject: bill.id, recordId: '', status: 'delivered' },
    ]),
  )
})
