// How each GET route is called that needs more than its address, as the account Alpha of two-accounts.ts.
import { sql } from 'kysely'
import { fillPath, type Route } from '@tollgate/contract/route.ts'
import { idFrom } from '../environment/database.ts'
import type { openTwoAccounts } from './two-accounts.ts'

type Environment = Awaited<ReturnType<typeof openTwoAccounts>>

export interface Reading {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string>>
  /** Parameters that name what is not Alpha's. */
  readonly others?: readonly Readonly<Record<string, unknown>>[]
}

/** A cursor of events before the first one. */
export const fromTheStart = '1-0-1-0'

type Readings = Readonly<Record<string, readonly Reading[]>>

/** Bills and what belongs to them, and deliveries. */
async function documentReadings({ db, own, people }: Environment): Promise<Readings> {
  const idOf = (table: 'bill_amendments' | 'invoices' | 'endpoints', where: ReturnType<typeof sql>) =>
    idFrom(db)`select min(id) as id from ${sql.table(table)} where ${where}`
  const creditNoteOf = (userId: number) =>
    idOf('bill_amendments', sql`kind = 'credit_note' and user_id = ${userId}`)
  const invoiceOf = (userId: number) => idOf('invoices', sql`user_id = ${userId}`)

  const byBill: Reading = { params: { id: '1-4' }, others: [{ id: '1-5' }, { id: '1-6' }] }
  const foreignHook = { id: await idOf('endpoints', sql`user_id = ${people.bravo.id}`) }
  return {
    listAmendments: [byBill],
    getCreditNote: [
      {
        params: { id: await creditNoteOf(people.alpha.id) },
        others: [{ id: await creditNoteOf(people.bravo.id) }],
      },
    ],
    getInvoice: [
      {
        params: { id: await invoiceOf(people.alpha.id) },
        others: [{ id: await invoiceOf(people.bravo.id) }],
      },
    ],
    getPeriod: [byBill],
    getStatement: [byBill],
    readStatement: [byBill],
    listPeriodLines: [byBill],
    listOwnDeliveries: [{ params: { id: own['endpointId'] }, others: [foreignHook] }],
    getOwnDelivery: [
      {
        params: { id: own['endpointId'], deliveryId: own['deliveryId'] },
        others: [
          { ...foreignHook, deliveryId: '1' },
          { id: own['endpointId'], deliveryId: '1' },
        ],
      },
    ],
  }
}

/** Records under many filters. */
const recordLists = ({ numbers: { digits } }: Environment): Readings => ({
  listRecords: [
    {},
    ...[
      { client: 'bravo' },
      { number: digits.bravo },
      { search: 'bravo' },
      { gateway: 'west-upstream' },
      { gateway: 'alpha-esme' },
      { period: '1-5' },
      { unowned: 'true' },
    ].map((query) => ({ query })),
  ],
  reportRecords: (['day', 'range', 'client', 'gateway', 'status'] as const).map((groupBy) => ({
    query: { groupBy },
  })),
})

/** All GET routes, and the readings of those that need more than their address, by name. */
export async function ownReadings(environment: Environment) {
  const { numbers, sent, people } = environment
  const byNumber: Reading = {
    params: { id: numbers.ids['alpha'] },
    others: [{ id: numbers.ids['bravo'] }, { id: numbers.ids['charlie'] }],
  }
  // What Alpha sent is its receiver's record, and what Bravo sent to Alpha is Alpha's record, not its message.
  const byRecord: Reading = {
    params: { id: sent.received[0] },
    others: [{ id: sent.ofBravo[0] }, { id: sent.toCharlie[0] }],
  }
  const byAccount: Reading = {
    params: { id: people.alpha.id },
    others: [{ id: people.bravo.id }, { id: people.ada.id }],
  }
  const today = new Date().toISOString().slice(0, 10)
  const days = { dateFrom: today, dateTo: today }

  const readings: Readings = {
    ...(await documentReadings(environment)),
    analyse: (['range', 'number', 'country', 'client', 'gateway', 'status', 'hour', 'day'] as const).map(
      (by) => ({
        query: { ...days, by },
      }),
    ),
    exportAnalytics: [{ query: { ...days, by: 'gateway', andBy: 'client' } }],
    getAccountNumber: [byNumber],
    listNumberPrices: [byNumber],
    search: [
      'bravo',
      'charlie',
      'sam',
      '447700902',
      'west',
      'north',
      '1-5',
      sent.ofBravo[0] ?? '',
      'alpha',
    ].map((q) => ({
      query: { q },
    })),
    getOwnTraffic: [{ query: { hours: '24' } }, { query: { hours: '168' } }],
    findOwnMessages: [
      { params: { id: sent.toCharlie[0] }, others: [{ id: sent.received[0] }, { id: sent.ofBravo[0] }] },
    ],
    getRange: [{ params: { id: '1' } }],
    getRangeEarnings: [{ query: days }],
    ...recordLists(environment),
    getRecord: [byRecord],
    readRecordText: [byRecord],
    pollEvents: [{ query: { cursor: fromTheStart } }],
    streamEvents: [{ query: { lastEventId: fromTheStart } }],
    getBindDetails: [byAccount],
    getSmppCredentials: [byAccount],
  }
  const gets = environment.routes
    .flatMap(({ table }) => Object.entries(table) as [string, Route][])
    .filter(([, { method }]) => method === 'GET')
  return { gets, readings }
}

/** The path with the query of a reading. */
export const pathOf = ({ path }: Route, { params, query }: Reading) => {
  const search = new URLSearchParams(query).toString()
  return `${fillPath(path, params)}${search === '' ? '' : `?${search}`}`
}
