// The series of numbers: no number is missing and none is given twice, whoever issues invoices at once and whatever is
// rolled back.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestInvoices } from '../../test/money/invoices.ts'
import { rows, type Db } from '../platform/db.ts'

interface PlacedInvoice {
  readonly kind: string
  readonly year: number
  readonly sequence: number
  readonly number: string
}

const allInvoices = (db: Db) =>
  rows<PlacedInvoice>(
    db,
    sql`select kind, year, sequence, number from invoices order by kind, year, sequence`,
  )

test('a batch in which one invoice cannot be written gives no numbers', async () => {
  const { db, billing, aClosedCycle, anOwnCompany, aSupplier } = await openTestInvoices()
  await anOwnCompany()
  for (const client of [1, 2]) await aSupplier(client)
  await aClosedCycle({ client: 1 }, { client: 2 })
  await sql`alter table invoices add constraint planted check (user_id <> 2)`.execute(db)
  await expect(billing.issueInvoices()).rejects.toThrow('planted')
  expect(await allInvoices(db)).toEqual([])
  await sql`alter table invoices drop constraint planted`.execute(db)
  await billing.issueInvoices()
  expect((await allInvoices(db)).map(({ number }) => number)).toEqual(['SB-2026-000001', 'SB-2026-000002'])
})

test('each year and each kind counts from 1, and another format goes on counting', async () => {
  const environment = await openTestInvoices()
  const { db, clock, billing, aClosedCycle, anOwnCompany, aSupplier, putSetting } = environment
  await anOwnCompany()
  await aSupplier()
  const issued = async () => {
    await aClosedCycle()
    await billing.issueInvoices()
    return (await allInvoices(db)).at(-1)?.number
  }
  expect(await issued()).toBe('SB-2026-000001')
  await putSetting('invoice_number', 'INV/{year}.{number}')
  expect(await issued()).toBe('INV/2026.000002')
  await aClosedCycle()
  clock.set(new Date('2027-01-01T00:00:00Z'))
  await billing.issueInvoices()
  expect((await allInvoices(db)).at(-1)?.number).toBe('INV/2027.000001')
})

test.each([
  ['{number}-{year}', 'Enter letters'],
  ['2026-{number}', 'Enter letters'],
  ['SB-{year}-{number}-x', 'Enter letters'],
  ['CN-{year}-{number}', 'belong to another series'],
  ['cn/{year}/{number}', 'belong to another series'],
])('the format %s is refused', async (format, reason) => {
  const { putSetting } = await openTestInvoices()
  await expect(putSetting('invoice_number', format)).rejects.toThrow(reason)
})

test('letters that credit notes had before are refused for invoices', async () => {
  const environment = await openTestInvoices()
  const { aBill, anOwnCompany, aSupplier, call, invoicesNow, putSetting } = environment
  await anOwnCompany()
  await aSupplier()
  const { path } = await aBill()
  await call(6, 'POST', `${path}/credit-notes`, { body: { amount: '0.1', reason: 'a dispute' } })
  expect(await invoicesNow()).toHaveLength(2)
  await putSetting('credit_note_number', 'GS-{year}-{number}')
  await expect(putSetting('invoice_number', 'CN-{year}-{number}')).rejects.toThrow('belong to another series')
})
