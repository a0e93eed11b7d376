// Bills and payouts, and what is decided about them.
import { sql } from 'kysely'
import { ledgerAccounts } from '@tollgate/contract/vocabulary.ts'
import {
  admin,
  each,
  next,
  reason,
  secondAdmin,
  secondSupport,
  support,
  withId,
  type Fixture,
  type Fixtures,
} from './fixture.ts'
import { aTransferTo } from '../money/money-actions-environment.ts'
import { idFrom } from '../environment/database.ts'
import type { ExamplesEnvironment } from './environment.ts'

export const billFixtures = (environment: ExamplesEnvironment): Fixtures => ({
  ...ofBills(environment),
  ...ofPayments(environment),
  ...ofBooks(environment),
})

/** The bill of the next client, for its client or for staff. */
function newBill({ cycleId, nextClient }: ExamplesEnvironment, who?: 'client'): Fixture {
  const of = nextClient()
  return { params: { id: `${cycleId}-${of}` }, ...(who && { who: `${of},user` }) }
}

const idOf = (fixture: Fixture) => fixture.params?.['id'] ?? ''

function ofBills(environment: ExamplesEnvironment): Fixtures {
  const { db, clock, done } = environment
  const bill = async () => newBill(environment)
  const readdressed = async () => {
    const fixture = await bill()
    await sql`update payment_profiles set usdt_address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
      where user_id = ${Number(idOf(fixture).split('-')[1])}::int`.execute(db)
    return fixture
  }
  return {
    ...each(['getPeriod', 'getStatement', 'listPeriodLines', 'readStatement', 'listAmendments'], async () =>
      newBill(environment, 'client'),
    ),
    ...each(['payPeriod', 'voidPeriod', 'createCreditNote', 'withholdPeriod'], bill),
    readdressPeriod: readdressed,
    resumePeriod: async () => {
      const fixture = await bill()
      await done(support, 'PUT', `/api/billing/periods/${idOf(fixture)}/withhold`, { reason })
      return fixture
    },
    decideAmendment: async () => {
      const fixture = await readdressed()
      const path = `/api/billing/periods/${idOf(fixture)}/readdress`
      const { id, acceptableFrom } = await done<{ id: string; acceptableFrom: string }>(
        support,
        'PUT',
        path,
        {
          reason,
        },
      )
      if (new Date(acceptableFrom) > clock.now()) clock.set(acceptableFrom)
      return { who: secondSupport, ...withId(id) }
    },
    getCreditNote: async () => {
      const fixture = newBill(environment, 'client')
      const body = { amount: '0.01', reason }
      const path = `/api/billing/periods/${idOf(fixture)}/credit-notes`
      return { ...fixture, ...withId((await done(admin, 'POST', path, body)).id) }
    },
  }
}

function ofPayments(environment: ExamplesEnvironment): Fixtures {
  const { db, cycleId, done, nextClient } = environment
  /** A debt that a transfer of a hundredth has paid in part. */
  const partly = async (reference: string, of: number) => {
    const id = await aTransferTo(environment, of, 10_000n)
    await done(support, 'PUT', `/api/treasury/transfers/${id}/match`, { references: [reference], reason })
    return idFrom(db)`select max(id)::text as id from payments`
  }
  const difference = async () => {
    const of = nextClient()
    const reference = `${cycleId}-${of}`
    return { reference, payment: await partly(reference, of) }
  }
  const payoutOf = async (of: number) => {
    return idFrom(db)`select p.id::text as id
      from payouts p join numbers n on n.id = p.number_id where n.holder_id = ${of}`
  }
  const ofPayout = async () => withId(await payoutOf(nextClient()))
  return {
    decidePeriodPayment: async () => withId((await difference()).reference),
    decidePayment: async () => withId((await difference()).payment),
    processPayout: ofPayout,
    decidePayoutPayment: async () => {
      const of = nextClient()
      const id = await payoutOf(of)
      await partly(`payout-${id}`, of)
      return withId(id)
    },
    replacePaymentHash: async () => {
      const fixture = newBill(environment)
      const path = `/api/billing/periods/${idOf(fixture)}/pay`
      const body = { transactionHash: next().toString(16).padStart(64, 'b') }
      await done(support, 'PUT', path, body)
      const all = `/api/payments/all?periodId=${idOf(fixture)}`
      const [payment] = await done<{ id: string }[]>(support, 'GET', all)
      return { who: secondSupport, ...withId(payment?.id ?? '') }
    },
    decideAdjustment: async () => {
      const body = { userId: 2, amount: '200', reason }
      return {
        who: secondAdmin,
        ...withId((await done(admin, 'POST', '/api/billing/adjustments', body)).id),
      }
    },
  }
}

function ofBooks(environment: ExamplesEnvironment): Fixtures {
  const { db, clock, done, slices } = environment
  return {
    exportJournal: async () => {
      const accounts = ledgerAccounts.map((account, at) => ({ account, code: String(1600 + at) }))
      await done(admin, 'PUT', '/api/books/setup', { accounts })
      return {}
    },
    allowClose: async () => {
      await sql`insert into close_waits (cause, explanation, cycle_count, since, seen_at)
        values ('behind', 'The gateway was stopped.', 1, ${clock.now()}, ${clock.now()})`.execute(db)
      return {}
    },
    getInvoice: async () => {
      const fixture = newBill(environment, 'client')
      const [, of = ''] = idOf(fixture).split('-')
      const entity = { legalName: 'Example Ltd', addressLines: ['1 High Street'], country: 'GB' }
      await done(admin, 'PUT', '/api/billing/own-company', entity)
      await done(support, 'PUT', `/api/billing/legal-entities/${of}`, entity)
      await slices.billing.issueInvoices()
      const invoices = await done<{ id: string }[]>(`${of},user`, 'GET', '/api/billing/invoices')
      return { ...fixture, ...withId(invoices[0]?.id ?? '') }
    },
  }
}
