// Whoever is no staff reads the own side of the business alone: a walk over every GET route of the API.
import { sql } from 'kysely'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { fillPath, type Route } from '@tollgate/contract/route.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { addressOf } from '../test/money/billing.ts'
import { readParquet } from '../test/files/parquet.ts'
import { linesOf } from '../test/files/pdf-texts.ts'
import { foreignFigures, openTwoAccounts, type SideAnswer } from '../test/http/two-accounts.ts'
import { row } from './platform/db.ts'

const environment = await openTwoAccounts()
const { db, numbers, sent, own, people } = environment
const { digits } = numbers

const idOf = async (table: 'bill_amendments' | 'invoices' | 'endpoints', where: ReturnType<typeof sql>) =>
  (await row<{ id: string }>(db, sql`select min(id)::text as id from ${sql.table(table)} where ${where}`))
    ?.id ?? ''
const creditNoteOf = (userId: number) =>
  idOf('bill_amendments', sql`kind = 'credit_note' and user_id = ${userId}`)
const invoiceOf = (userId: number) => idOf('invoices', sql`user_id = ${userId}`)

interface Reading {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, string>>
  /** Parameters that name what is not Alpha's. */
  readonly others?: readonly Readonly<Record<string, unknown>>[]
}

const byBill: Reading = { params: { id: '1-4' }, others: [{ id: '1-5' }, { id: '1-6' }] }
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
const foreignHook = { id: await idOf('endpoints', sql`user_id = ${people.bravo.id}`) }
const today = new Date().toISOString().slice(0, 10)
const days = { dateFrom: today, dateTo: today }
const fromTheStart = '1-0-1-0'

/** How the routes are called that need more than their address, by name. */
const readings: Readonly<Record<string, readonly Reading[]>> = {
  listAmendments: [byBill],
  getCreditNote: [
    {
      params: { id: await creditNoteOf(people.alpha.id) },
      others: [{ id: await creditNoteOf(people.bravo.id) }],
    },
  ],
  getInvoice: [
    { params: { id: await invoiceOf(people.alpha.id) }, others: [{ id: await invoiceOf(people.bravo.id) }] },
  ],
  getPeriod: [byBill],
  getStatement: [byBill],
  readStatement: [byBill],
  listPeriodLines: [byBill],
  analyse: (['range', 'number', 'country', 'client', 'gateway', 'status', 'hour', 'day'] as const).map(
    (by) => ({
      query: { ...days, by },
    }),
  ),
  exportAnalytics: [{ query: { ...days, by: 'gateway', andBy: 'client' } }],
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
  getRecord: [byRecord],
  readRecordText: [byRecord],
  pollEvents: [{ query: { cursor: fromTheStart } }],
  streamEvents: [{ query: { lastEventId: fromTheStart } }],
  getBindDetails: [byAccount],
  getSmppCredentials: [byAccount],
}

/** Of everybody and everything but Alpha. What Alpha sent to Charlie names Charlie's number, and Alpha knows that. */
const foreign = [
  // Of people.
  'bravo',
  'charlie',
  'ada-admin',
  'eve-admin',
  'sam-support',
  'note of staff',
  'what staff think',
  // Of links and nodes.
  'west-upstream',
  'west.upstream',
  'westid',
  'north-provider',
  'north.provider',
  'north-key',
  'node-nine',
  `${hostname()}:${process.pid}`,
  '192.0.2.55',
  // Of what Bravo has.
  digits.bravo,
  digits.bravoPaid,
  '447700908882',
  '4915199999999',
  addressOf(people.bravo.id),
  'b'.repeat(64),
  sent.ofBravo[0] ?? '',
  sent.ofBravo.at(-1) ?? '',
]
/** The role test sees of numbers the last four digits alone. */
const masked = [
  digits.alpha,
  digits.alphaPaid,
  digits.charlie,
  '4915100000001',
  '4915112345678',
  '447700908881',
]

const figures = foreignFigures.map((figure) => String(figure))
const figurePattern = new RegExp(`(?<![\\w.])(${figures.join('|').replaceAll('.', '\\.')})(?!\\w)`)

async function textOf({ type, content }: SideAnswer): Promise<string> {
  if (type.includes('pdf')) return linesOf(content).join('\n')
  if (!type.includes('parquet')) return content.toString()
  return JSON.stringify(await readParquet(content), (_, value: unknown) =>
    typeof value === 'bigint' ? String(value) : value,
  )
}

/** What of the rest of the business stands in an answer. */
async function leaksIn(answer: SideAnswer, role: 'user' | 'test', name: string): Promise<string[]> {
  const text = await textOf(answer)
  const lower = text.toLowerCase()
  // The masked role is asked for its own messages with the same numbers hidden.
  const forbidden = [
    ...foreign,
    ...(role === 'test' ? masked : name === 'findOwnMessages' ? [] : [digits.charlie]),
  ]
  const figure = figurePattern.exec(text.replace(/(?<=\d),(?=\d{3}\b)/g, ''))
  return [
    ...forbidden.filter((word) => lower.includes(word.toLowerCase())),
    ...(figure === null ? [] : [figure[0]]),
  ]
}

const pathOf = ({ path }: Route, { params, query }: Reading) => {
  const search = new URLSearchParams(query).toString()
  return `${fillPath(path, params)}${search === '' ? '' : `?${search}`}`
}

const gets = environment.routes
  .flatMap(({ table }) => Object.entries(table) as [string, Route][])
  .filter(([, { method }]) => method === 'GET')

test('the walk knows every route that it names, and there is something to be read', async () => {
  expect(gets.length).toBeGreaterThan(150)
  expect(Object.keys(readings).filter((name) => gets.every(([other]) => other !== name))).toEqual([])
  // Staff see what Alpha must not: the words are those of the answers.
  const staff = await environment.get('sam', 'support', `/api/records?client=bravo`)
  for (const word of ['bravo', 'west-upstream', digits.bravo])
    expect(staff.content.toString()).toContain(word)
  // And what Alpha may read is there to be read, in streams too.
  for (const path of [
    '/api/records',
    `/api/events/poll?cursor=${fromTheStart}`,
    `/api/events?lastEventId=${fromTheStart}`,
  ])
    expect((await environment.get('alpha', 'user', path)).content.toString()).toContain(digits.alpha)
  const status = await environment.get('ada', 'admin', '/api/smpp/status')
  expect(status.content.toString()).toMatch(figurePattern)
})

test.each(['user', 'test'] as const)(
  'no GET route tells the role %s anything of other accounts, of staff, of links or of the whole',
  async (role) => {
    for (const [name, route] of gets) {
      const isAllowed = route.access === 'public' || isPermitted(role, route.access)
      for (const reading of readings[name] ?? [{}]) {
        const path = pathOf(route, reading)
        const answer = await environment.get('alpha', role, path)
        // A new route that needs parameters gets its parameters above.
        expect.soft([name, path, answer.status]).toEqual([name, path, isAllowed ? 200 : 403])
        expect.soft([name, path, await leaksIn(answer, role, name)]).toEqual([name, path, []])
        for (const params of isAllowed ? (reading.others ?? []) : []) {
          const foreignPath = pathOf(route, { ...reading, params })
          const refused = await environment.get('alpha', role, foreignPath)
          expect.soft([name, foreignPath, refused.status]).toEqual([name, foreignPath, 404])
          expect
            .soft([name, foreignPath, await leaksIn(refused, role, name)])
            .toEqual([name, foreignPath, []])
        }
      }
    }
  },
)
