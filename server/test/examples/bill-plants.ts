// Bills and payouts, and what is decided about them.
import { sql } from 'kysely'
import { ledgerAccounts } from '@tollgate/contract/vocabulary.ts'
import { row } from '../../src/platform/db.ts'
import {
  admin,
  each,
  next,
  reason,
  secondAdmin,
  secondSupport,
  support,
  withId,
  type Plant,
  type Plants,
} from './plant.ts'
import { transferTo } from './run-plants.ts'
import type { World } from './world.ts'

export const billPlants = (world: World): Plants => ({
  ...ofBills(world),
  ...ofPayments(world),
  ...ofBooks(world),
})

/** The bill of the next client, for its client or for staff. */
function newBill({ cycleId, nextClient }: World, who?: 'client'): Plant {
  const of = nextClient()
  return { params: { id: `${cycleId}-${of}` }, ...(who && { who: `${of},user` }) }
}

const idOf = (plant: Plant) => plant.params?.['id'] ?? ''

function ofBills(world: World): Plants {
  const { db, clock, done } = world
  const bill = async () => newBill(world)
  const readdressed = async () => {
    const plant = await bill()
    await sql`update payment_profiles set usdt_address = 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8'
      where user_id = ${Number(idOf(plant).split('-')[1])}::int`.execute(db)
    return plant
  }
  return {
    ...each(['getPeriod', 'getStatement', 'listPeriodLines', 'readStatement', 'listAmendments'], async () =>
      newBill(world, 'client'),
    ),
    ...each(['payPeriod', 'voidPeriod', 'createCreditNote', 'withholdPeriod'], bill),
    readdressPeriod: readdressed,
    resumePeriod: async () => {
      const plant = await bill()
      await done(support, 'PUT', `/api/billing/periods/${idOf(plant)}/withhold`, { reason })
      return plant
    },
    decideAmendment: async () => {
      const plant = await readdressed()
      const path = `/api/billing/periods/${idOf(plant)}/readdress`
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
      const plant = newBill(world, 'client')
      const body = { amount: '0.01', reason }
      const path = `/api/billing/periods/${idOf(plant)}/credit-notes`
      return { ...plant, ...withId((await done(admin, 'POST', path, body)).id) }
    },
  }
}

function ofPayments(world: World): Plants {
  const { db, cycleId, done, nextClient } = world
  /** A debt that a transfer of a hundredth has paid in part. */
  const partly = async (reference: string, of: number) => {
    const id = await transferTo(world, of, 10_000n)
    await done(support, 'PUT', `/api/treasury/transfers/${id}/match`, { references: [reference], reason })
    const found = await row<{ id: string }>(db, sql`select max(id)::text as id from payments`)
    return found?.id ?? ''
  }
  const difference = async () => {
    const of = nextClient()
    const reference = `${cycleId}-${of}`
    return { reference, payment: await partly(reference, of) }
  }
  const payoutOf = async (of: number) => {
    const found = await row<{ id: string }>(
      db,
      sql`select p.id::text as id from payouts p join numbers n on n.id = p.number_id where n.holder_id = ${of}`,
    )
    return found?.id ?? ''
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
      const plant = newBill(world)
      const path = `/api/billing/periods/${idOf(plant)}/pay`
      const body = { transactionHash: next().toString(16).padStart(64, 'b') }
      await done(support, 'PUT', path, body)
      const all = `/api/payments/all?periodId=${idOf(plant)}`
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

function ofBooks(world: World): Plants {
  const { db, clock, done, slices } = world
  /** The books in a currency: each but USDT needs rates. */
  const booksIn = async (currency: string): Promise<Plant> => {
    const accounts = ledgerAccounts.map((account, at) => ({ account, code: String(1600 + at) }))
    const datev = { datevConsultant: null, datevClient: null, datevDigits: 4 }
    const body = { currency, fiscalMonth: 1, ...datev, xeroTaxRate: 'Tax Exempt', accounts }
    await done(admin, 'PUT', '/api/books/setup', body)
    return {}
  }
  return {
    ...each(['putDayRate', 'importDayRates'], () => booksIn('EUR')),
    exportJournal: () => booksIn('USDT'),
    allowClose: async () => {
      await sql`insert into close_waits (cause, explanation, cycle_count, since, seen_at)
        values ('behind', 'The gateway was stopped.', 1, ${clock.now()}, ${clock.now()})`.execute(db)
      return {}
    },
    getPaper: async () => {
      const plant = newBill(world, 'client')
      const [, of = ''] = idOf(plant).split('-')
      const entity = { legalName: 'Example Ltd', addressLines: ['1 High Street'], country: 'GB' }
      await done(admin, 'PUT', '/api/billing/house-entity', entity)
      await done(support, 'PUT', `/api/billing/legal-entities/${of}`, entity)
      await slices.billing.issuePapers()
      const papers = await done<{ id: string }[]>(`${of},user`, 'GET', '/api/billing/papers')
      return { ...plant, ...withId(papers[0]?.id ?? '') }
    },
  }
}
