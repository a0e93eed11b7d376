// Every act that moves money, or what is owed. The table stands in docs/money.md; money-actions.long.test.ts tries each
// of them, and fails for a route of money that none of them names.
import { sql } from 'kysely'
import { row } from '../../src/platform/db.ts'
import { idFrom } from '../environment/database.ts'
import type { TestAnswer } from '../http/api.ts'
import {
  aBillOf,
  aDifferenceOf,
  aHeldNumber,
  aLostBillOf,
  anUnownedNumber,
  aPaymentByWord,
  aPayoutOf,
  aTransferTo,
  bothStaff,
  micro,
  newHash,
  reason,
  refusedOr,
  secondAdmin,
  secondSupport,
  setter,
  staff,
  transferFor,
  type MoneyAction,
  type MoneyOutcome,
  type MoneyEnvironment,
} from './money-actions-environment.ts'

const amendmentOutcome = (answer: TestAnswer): MoneyOutcome =>
  refusedOr(answer, () => (answer.body.status === 'done' ? 'done' : 'waits'))
/** A second person accepts what the first call has made. */
const accept =
  (pathOf: (first: TestAnswer, id: string) => string): NonNullable<MoneyAction['agree']> =>
  ({ call }, userId, id, first) =>
    call(userId, 'PUT', `${pathOf(first, id)}/decide`, { body: { action: 'accept', reason } })
const agreeOnAmendment = accept((first) => `/api/billing/amendments/${first.body.id}`)

/** Decides on a difference; answers with the payment as it is then. */
async function decideDifference(
  { call }: MoneyEnvironment,
  userId: number,
  { path, payment, decision }: { path: string; payment: string; decision: string },
): Promise<TestAnswer> {
  const body = decision === 'reject' ? { action: 'reject' } : { action: 'accept', difference: decision }
  const answer = await call(userId, 'PUT', path, { body: { ...body, reason } })
  if (answer.status >= 400) return answer
  const all = (await call(setter, 'GET', '/api/payments/all?limit=500')).body as { id: string }[]
  return { ...answer, body: all.find(({ id }) => id === payment) }
}
const differenceOutcome = (answer: TestAnswer): MoneyOutcome =>
  refusedOr(answer, () => (answer.body.proposal === null ? 'done' : 'waits'))

/** Above the limit, the two halves together. */
const holdsOutcome = (answer: TestAnswer): MoneyOutcome =>
  refusedOr(answer, () => (answer.body[0].status === 'open' ? 'waits' : 'done'))

/** What is done at once or not at all, and takes nobody else. */
const simply = (answer: TestAnswer): MoneyOutcome => refusedOr(answer, () => 'done')

const digitsOf = async ({ db }: MoneyEnvironment, id: string) =>
  (await row<{ number: string }>(db, sql`select number from numbers where id = ${id}::int`))?.number ?? ''

/** What is assigned is named by the account and the number's id. */
const waysToAssign = {
  assignNumber({ call }, userId, id) {
    const [account, number] = id.split(' ')
    const body = { userId: Number(account) }
    return call(userId, 'PUT', `/api/number-inventory/${number}/assign`, { body })
  },
  bulkAssignNumbers({ call }, userId, id) {
    const [account, number] = id.split(' ')
    return call(userId, 'POST', '/api/number-inventory/assign', {
      body: { ids: [number], userId: Number(account) },
    })
  },
  async assignMatchingNumbers(environment, userId, id) {
    const [account, number = ''] = id.split(' ')
    const filter = { search: await digitsOf(environment, number) }
    return environment.call(userId, 'POST', '/api/number-inventory/assign/matching', {
      body: { filter, count: 1, userId: Number(account) },
    })
  },
  async processRequest(environment, userId, id) {
    const [account, number = ''] = id.split(' ')
    const request = await idFrom(environment.db)`insert into number_requests (user_id, business_purpose,
          expected_volume)
        values (${account}::int, 'Votes', '1-50') returning id`
    const body = { action: 'assign', assignedNumber: await digitsOf(environment, number) }
    return environment.call(userId, 'PUT', `/api/number-requests/${request}/process`, { body })
  },
} satisfies Record<string, MoneyAction['attempt']>

/** Support and admins do it, and agree to it, where it says nothing else. */
type StaffAction = Omit<MoneyAction, 'allowedRoles' | 'seconds'> & Partial<MoneyAction>

const actions: readonly StaffAction[] = [
  {
    name: 'Mark as Paid',
    routes: ['payPeriod'],
    setUp: aBillOf,
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/pay`, { body: { transactionHash: transferFor(id) } }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'paid' ? 'done' : 'waits')),
  },
  {
    name: 'process a payout',
    routes: ['processPayout'],
    setUp: aPayoutOf,
    attempt: ({ call }, userId, id) => call(userId, 'PUT', `/api/payouts/${id}/process`, { body: {} }),
    outcomeOf: (answer) =>
      refusedOr(answer, () => (answer.body.payoutStatus === 'completed' ? 'done' : 'waits')),
  },
  {
    name: 'Add Payment',
    routes: ['createPayment', 'decidePayment'],
    setUp: async (_, account) => String(account),
    attempt: ({ call }, userId, account, amount) =>
      call(userId, 'POST', '/api/payments', {
        body: { userId: Number(account), amount: String(amount), status: 'confirmed', notes: reason },
      }),
    agree: accept((first) => `/api/payments/${first.body.id}`),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'confirmed' ? 'done' : 'waits')),
  },
  {
    name: 'add an adjustment',
    routes: ['createAdjustment', 'decideAdjustment'],
    allowedRoles: ['admin'],
    seconds: { support: secondAdmin, admin: secondAdmin },
    setUp: async (environment, account) => {
      await environment.ledger.ensureOpenCycle()
      return String(account)
    },
    attempt: ({ call }, userId, account, amount) =>
      call(userId, 'POST', '/api/billing/adjustments', {
        body: { userId: Number(account), amount: String(amount), reason },
      }),
    agree: accept((first) => `/api/billing/adjustments/${first.body.id}`),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'posted' ? 'done' : 'waits')),
  },
  ...(['release', 'confirm'] as const).map((action): StaffAction => ({
    name: `${action} a hold`,
    routes: [`${action}Hold`],
    setUp: async (environment, client, amount) =>
      (await environment.held({ client, number: 1, amountMicro: amount * 1_000_000 })).id,
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/holds/${id}/${action}`, { body: { reason } }),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'open' ? 'waits' : 'done')),
  })),
  {
    name: 'void a bill',
    routes: ['voidPeriod', 'decideAmendment'],
    allowedRoles: ['admin'],
    seconds: { support: secondSupport, admin: secondAdmin },
    setUp: aBillOf,
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/void`, { body: { reason } }),
    agree: agreeOnAmendment,
    outcomeOf: amendmentOutcome,
  },
  {
    name: 'make a credit note',
    routes: ['createCreditNote', 'decideAmendment'],
    allowedRoles: ['admin'],
    seconds: { support: secondSupport, admin: secondAdmin },
    setUp: aBillOf,
    attempt: ({ call }, userId, id, amount) =>
      call(userId, 'POST', `/api/billing/periods/${id}/credit-notes`, {
        body: { reason, amount: String(amount) },
      }),
    agree: agreeOnAmendment,
    outcomeOf: amendmentOutcome,
  },
  {
    name: 're-address a bill',
    routes: ['readdressPeriod', 'decideAmendment'],
    needs: 'always',
    setUp: aLostBillOf,
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/readdress`, { body: { reason } }),
    agree: (environment, userId, id, first) => {
      const from = new Date(first.body.acceptableFrom)
      if (from > environment.clock.now()) environment.clock.set(from)
      return agreeOnAmendment(environment, userId, id, first)
    },
    outcomeOf: amendmentOutcome,
  },
  ...(['owe', 'waive', 'credit', 'reject'] as const).map((decision): StaffAction => ({
    name: `${decision} a difference`,
    routes: [decision === 'owe' ? 'decidePeriodPayment' : 'decidePayment'],
    ...(decision === 'owe' && { needs: 'never' }),
    async setUp(environment, client, amount) {
      const [due, received] = decision === 'credit' ? [1, amount + 1] : [amount + 1, 1]
      const debt = await aBillOf(environment, client, due)
      return `${debt} ${await aDifferenceOf(environment, { client, debt, received: decision === 'reject' ? amount : received })}`
    },
    async attempt(environment, userId, id) {
      const [bill, payment = ''] = id.split(' ')
      const path =
        decision === 'owe' ? `/api/billing/periods/${bill}/decide` : `/api/payments/${payment}/decide`
      return decideDifference(environment, userId, { path, payment, decision })
    },
    outcomeOf: differenceOutcome,
  })),
  {
    name: 'waive the rest of a payout',
    routes: ['decidePayoutPayment'],
    async setUp(environment, client, amount) {
      const debt = await aPayoutOf(environment, client, amount + 1)
      return `${debt} ${await aDifferenceOf(environment, { client, debt, received: 1 })}`
    },
    attempt(environment, userId, id) {
      const [payout, payment = ''] = id.split(' ')
      return decideDifference(environment, userId, {
        path: `/api/payouts/${payout}/decide`,
        payment,
        decision: 'waive',
      })
    },
    outcomeOf: differenceOutcome,
  },
  {
    name: 'match a transfer',
    routes: ['matchTransfer', 'decideTransfer'],
    setUp: async (environment, account, amount) => {
      const bill = await aBillOf(environment, account, amount)
      return `${bill} ${await aTransferTo(environment, account, micro(amount))}`
    },
    attempt: ({ call }, userId, id) => {
      const [bill, transfer] = id.split(' ')
      return call(userId, 'PUT', `/api/treasury/transfers/${transfer}/match`, {
        body: { references: [bill], reason },
      })
    },
    agree: accept((_, id) => `/api/treasury/transfers/${id.split(' ')[1]}`),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.state === 'booked' ? 'done' : 'waits')),
  },
  {
    // Whoever entered it does not replace it alone: replace-hash.long.test.ts.
    name: 'replace a hash',
    routes: ['replacePaymentHash'],
    needs: 'never',
    setUp: aPaymentByWord,
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/payments/${id}/hash`, { body: { transactionHash: newHash(), reason } }),
    outcomeOf: simply,
  },
  {
    name: 'decide on holds together',
    routes: ['decideHolds'],
    async setUp(environment, client, amount) {
      const half = { client, number: 1, amountMicro: amount * 500_000 }
      return `${(await environment.held(half)).id} ${(await environment.held(half)).id}`
    },
    attempt: ({ call }, userId, id) =>
      call(userId, 'POST', '/api/holds/decide', { body: { ids: id.split(' '), action: 'release', reason } }),
    outcomeOf: holdsOutcome,
  },
  {
    name: 'explain a transfer',
    routes: ['explainTransfer', 'decideTransfer'],
    isOfAddress: true,
    setUp: (environment, account, amount) => aTransferTo(environment, account, micro(amount)),
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/treasury/transfers/${id}/explain`, { body: { reason } }),
    agree: accept((_, id) => `/api/treasury/transfers/${id}`),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.state === 'explained' ? 'done' : 'waits')),
  },
  {
    name: 'draft a payment run',
    routes: ['createRun', 'approveRun'],
    needs: 'always',
    setUp: aBillOf,
    attempt: ({ call }, userId, id) =>
      call(userId, 'POST', '/api/payment-runs', { body: { references: [id] } }),
    agree: ({ call }, userId, _, first) => call(userId, 'PUT', `/api/payment-runs/${first.body.id}/approve`),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.status === 'draft' ? 'waits' : 'done')),
  },
  {
    name: 'assign a number from an earlier time',
    routes: ['assignNumber', 'decideAdjustment'],
    allowedRoles: ['admin'],
    seconds: { support: secondAdmin, admin: secondAdmin },
    needs: 'always',
    setUp: async (environment, account, amount) => `${account} ${await anUnownedNumber(environment, amount)}`,
    attempt({ call }, userId, id) {
      const [account, number] = id.split(' ')
      const body = { userId: Number(account), from: '2026-03-01T00:00:00Z' }
      return call(userId, 'PUT', `/api/number-inventory/${number}/assign`, { body })
    },
    agree: accept((first) => `/api/billing/adjustments/${first.body.waitingCredit.adjustmentId}`),
    outcomeOf: (answer) => refusedOr(answer, () => (answer.body.waitingCredit ? 'waits' : 'done')),
  },
  ...(Object.entries(waysToAssign) as [keyof typeof waysToAssign, MoneyAction['attempt']][]).map(
    ([route, attempt]): StaffAction => ({
      // Who gets a number sets no price of it, neither before nor after.
      name: `assign a number (${route})`,
      routes: [route],
      needs: 'never',
      setUp: async (environment, account) => `${account} ${await anUnownedNumber(environment, 1)}`,
      attempt,
      outcomeOf: simply,
    }),
  ),
  ...(['withhold', 'resume'] as const).map((verb): StaffAction => ({
    name: `${verb} a bill`,
    routes: [`${verb}Period`],
    needs: 'never',
    async setUp(environment, client, amount) {
      const id = await aBillOf(environment, client, amount)
      if (verb === 'resume')
        await environment.call(setter, 'PUT', `/api/billing/periods/${id}/withhold`, { body: { reason } })
      return id
    },
    attempt: ({ call }, userId, id) =>
      call(userId, 'PUT', `/api/billing/periods/${id}/${verb}`, { body: { reason } }),
    outcomeOf: amendmentOutcome,
  })),
  {
    name: "set a client's rate",
    routes: ['putUserRate'],
    allowedRoles: ['admin'],
    needs: 'never',
    setUp: async (_, account) => String(account),
    attempt: ({ call }, userId, account) =>
      call(userId, 'PUT', `/api/admin/users/${account}/sms-rate`, { body: { customSmsRate: '0.06' } }),
    outcomeOf: simply,
  },
  {
    name: "cancel a client's rate that waits",
    routes: ['cancelScheduledUserRate'],
    allowedRoles: ['admin'],
    needs: 'never',
    setUp: async (_, account) => String(account),
    async attempt({ call }, userId, account) {
      const startsAt = new Date(Date.now() + 86_400_000).toISOString()
      const path = `/api/admin/users/${account}/sms-rate`
      // One rate waits for an account at most.
      await call(setter, 'PUT', path, { body: { customSmsRate: '0.04', startsAt } })
      return call(userId, 'DELETE', `${path}/scheduled`)
    },
    outcomeOf: simply,
  },
  {
    name: 'cancel the price of a number that waits',
    routes: ['cancelScheduledPrice'],
    needs: 'never',
    setUp: aHeldNumber,
    async attempt({ call }, userId, id) {
      const startsAt = new Date(Date.now() + 86_400_000).toISOString()
      const path = `/api/number-inventory/${id}`
      // One price waits for a number at most.
      await call(setter, 'PUT', path, { body: { pricePerSms: '0.04', startsAt } })
      return call(userId, 'DELETE', `${path}/scheduled`)
    },
    outcomeOf: simply,
  },
  ...(['createInventoryItem', 'editInventoryItem'] as const).map((route): StaffAction => ({
    name: `set the price of a number (${route})`,
    routes: [route],
    needs: 'never',
    setUp: aHeldNumber,
    async attempt(environment, userId, id) {
      if (route === 'editInventoryItem')
        return environment.call(userId, 'PUT', `/api/number-inventory/${id}`, {
          body: { pricePerSms: '0.07' },
        })
      const body = { number: await digitsOf(environment, id), pricePerSms: '0.07' }
      return environment.call(userId, 'POST', '/api/number-inventory', { body })
    },
    outcomeOf: simply,
  })),
]

export const moneyActions = actions.map((action): MoneyAction => ({
  allowedRoles: staff,
  seconds: bothStaff,
  ...action,
}))
