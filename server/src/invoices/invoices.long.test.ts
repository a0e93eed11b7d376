// Invoices and credit notes: what gets one, what it says, who reads it, and that it stays as it was issued.
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { anEntity, ownCompany, openTestInvoices } from '../../test/money/invoices.ts'
import { retentionJobs } from '../records/index.ts'

/** Client 1 has a bill of 0.50 and a payout of 1.00, client 2 a bill of 0.05; both sides have their entities. */
async function aScene() {
  const environment = await openTestInvoices()
  const { anOwnCompany, aSupplier, aPayee, aClosedCycle } = environment
  await anOwnCompany()
  await aSupplier(1)
  await aPayee(1)
  const { id: cycleId } = await aClosedCycle(
    { client: 1 },
    { client: 1, number: 3, count: 2, amountMicro: 500_000 },
    { client: 2, count: 1 },
  )
  const bill = `/api/billing/periods/${cycleId}-1`
  const credit = (body: object) =>
    environment.call(6, 'POST', `${bill}/credit-notes`, { body: { reason: 'for staff alone', ...body } })
  return { ...environment, cycleId, bill, credit }
}

test('a closed bill and the payouts of a period get an invoice each, once both legal entities are known', async () => {
  const environment = await openTestInvoices()
  const { aClosedCycle, anOwnCompany, aSupplier, invoicesNow } = environment
  const { id } = await aClosedCycle({ client: 1 }, { client: 1, number: 3 }, { client: 2 })
  await aSupplier(1)
  expect(await invoicesNow()).toEqual([])
  await anOwnCompany()
  expect(await invoicesNow()).toMatchObject([
    { number: 'SB-2026-000001', kind: 'invoice', subject: 'bill', periodId: `${id}-1`, amount: '0.50' },
    { number: 'SB-2026-000002', kind: 'invoice', subject: 'payouts', periodId: `${id}-1`, amount: '0.50' },
  ])
  await aSupplier(2)
  expect((await invoicesNow()).at(-1)).toMatchObject({
    number: 'SB-2026-000003',
    userName: 'u2',
    supplierName: anEntity.legalName,
    customerName: ownCompany.legalName,
  })
  expect(await invoicesNow()).toHaveLength(3)
})

test('the invoice of a bill says who supplies whom, what, and that the recipient accounts for the tax', async () => {
  const { cycleId, invoicesNow, readInvoice } = await aScene()
  const [invoice, ofPayouts] = await invoicesNow()
  expect(await readInvoice(invoice.id, 1)).toEqual([
    'Self-billing invoice SB-2026-000001',
    'Supplier Customer',
    'Ada Premium Ltd Gates Networks GmbH',
    '1 Long Street Torstrasse 1',
    '1010 Nicosia 10115 Berlin',
    'Cyprus Germany',
    'Tax number CY10000001A Tax number DE100000001',
    'Date 09/03/2026',
    'Supply SMS received on premium numbers',
    'Period 02/03/2026 00:00 – 09/03/2026 00:00 UTC',
    `Bill #${cycleId}-1`,
    'Number Rate (USD) SMS Amount (USDT)',
    '+447700000001 0.050 10 0.50',
    'Total 10 0.50 USDT',
    'Self-billing: issued by the customer in the name and on behalf of the supplier.',
    'Reverse charge: the recipient of the services accounts for the VAT.',
    'SB-2026-000001 Page 1 of 1',
  ])
  const payouts = await readInvoice(ofPayouts.id, 1)
  expect(payouts).toContain('+447700000003 2 1.00')
  expect(payouts).toContain('Total 2 1.00 USDT')
  expect(payouts).toContain(`Payouts of period #${cycleId}-1`)
})

test('a credit note corrects its invoice by number, with the words for the client and not those for staff', async () => {
  const { credit, cycleId, invoicesNow, readInvoice, readPdf } = await aScene()
  const { body } = await credit({ amount: '0.2', clientReason: 'Four messages were no SMS.' })
  const early = await readPdf(`/api/billing/amendments/${body.id}/credit-note.pdf`, 1)
  expect(early[0]).toBe('Self-billing credit note not numbered yet')
  const note = (await invoicesNow({ kind: 'credit_note' }))[0]
  expect(note).toMatchObject({ number: 'CN-2026-000001', corrects: 'SB-2026-000001', amount: '0.20' })
  const said = await readInvoice(note.id, 1)
  expect(said[0]).toBe('Self-billing credit note CN-2026-000001')
  for (const line of [
    'Ada Premium Ltd Gates Networks GmbH',
    'Corrects SB-2026-000001 of 09/03/2026',
    `Bill #${cycleId}-1`,
    'Reason Four messages were no SMS.',
    'Taken off -0.20 USDT',
    'Reverse charge: the recipient of the services accounts for the VAT.',
  ])
    expect(said).toContain(line)
  expect(said.join(' ')).not.toContain('for staff alone')
  expect(await readPdf(`/api/billing/amendments/${body.id}/credit-note.pdf`, 1)).toEqual(said)
})

test('a void bill gets a cancelling credit note over what was due; its amount is in the invoice of a later bill', async () => {
  const { aClosedCycle, bill, call, credit, invoicesNow, readInvoice } = await aScene()
  await credit({ amount: '0.2' })
  await invoicesNow()
  expect((await call(6, 'PUT', `${bill}/void`, { body: { reason: 'wrong carrier' } })).status).toBe(200)
  const [part, whole] = await invoicesNow({ kind: 'credit_note' })
  expect([part.amount, whole.amount, whole.corrects]).toEqual(['0.20', '0.30', 'SB-2026-000001'])
  expect(await readInvoice(whole.id)).toContain('Reason The bill is void. What was due is in a later bill.')
  await aClosedCycle({ client: 1, count: 1 })
  const later = (await invoicesNow({ kind: 'invoice' })).at(-1)
  expect(later).toMatchObject({ subject: 'bill', amount: '0.35' })
  const said = (await readInvoice(later.id)).join('\n')
  expect(said).toMatch(/Bill #\d+-1 was voided and made anew/)
})

test('a bill that was void before it had an invoice gets none, and a credited one gets both', async () => {
  const { aClosedCycle, anOwnCompany, aSupplier, call, invoicesNow } = await openTestInvoices()
  const { id: first } = await aClosedCycle()
  const { id: second } = await aClosedCycle()
  const body = { reason: 'a dispute', amount: '0.1' }
  await call(6, 'PUT', `/api/billing/periods/${first}-1/void`, { body: { reason: 'a dispute' } })
  expect((await call(6, 'POST', `/api/billing/periods/${second}-1/credit-notes`, { body })).status).toBe(201)
  await aSupplier()
  await anOwnCompany()
  expect(await invoicesNow()).toMatchObject([
    { kind: 'invoice', periodId: `${second}-1`, amount: '0.50' },
    { kind: 'credit_note', periodId: `${second}-1`, amount: '0.10' },
  ])
})

test('a bill of which a part was set off and the rest void, before it had an invoice, gets an invoice and a credit note', async () => {
  const { aClosedCycle, anOwnCompany, aSupplier, call, closeCycle, db, invoicesNow } =
    await openTestInvoices()
  await sql`insert into client_credits (user_id, amount_micro) values (1, 30000000)`.execute(db)
  const { id: first } = await aClosedCycle({ count: 10, amountMicro: 10_000_000 })
  const { status, body } = await call(6, 'PUT', `/api/billing/periods/${first}-1/void`, {
    body: { reason: 'wrong carrier' },
  })
  expect([status, body]).toMatchObject([200, { status: 'done', amount: '70.00' }])
  const { id: second } = await closeCycle()
  await aSupplier()
  await anOwnCompany()
  const invoices = await invoicesNow()
  expect(invoices).toMatchObject([
    { kind: 'invoice', periodId: `${first}-1`, amount: '100.00' },
    { kind: 'invoice', periodId: `${second}-1`, amount: '70.00' },
    { kind: 'credit_note', periodId: `${first}-1`, amount: '70.00', corrects: invoices[0].number },
  ])
})

test('an invoice stays as it was issued: other entities, words and formats count for later ones', async () => {
  const environment = await aScene()
  const { aClosedCycle, anOwnCompany, aSupplier, db, invoicesNow, putSetting, readInvoice } = environment
  const [{ id }] = await invoicesNow()
  const before = await readInvoice(id)
  await aSupplier(1, { legalName: 'Ada Premium (new) Ltd', country: 'DE' })
  await anOwnCompany({ legalName: 'New Gates Networks AG', addressLines: ['Elsewhere 2'] })
  await putSetting('self_billing_words', 'Gutschrift')
  await putSetting('reverse_charge_words', 'Steuerschuldnerschaft des Leistungsempfängers')
  expect(await readInvoice(id)).toEqual(before)
  await aClosedCycle({ client: 1 })
  const later = await readInvoice((await invoicesNow()).at(-1).id)
  expect(later).toContain('Ada Premium (new) Ltd New Gates Networks AG')
  expect(later).toContain('Gutschrift')
  // Both are in Germany now, so nothing is said of the reverse charge.
  expect(later.join(' ')).not.toContain('Steuerschuldnerschaft')
  for (const change of [
    sql`update invoices set amount_micro = 1`,
    sql`delete from invoices`,
    sql`update legal_entities set legal_name = 'x'`,
    sql`delete from legal_entities`,
    sql`update invoice_wordings set words = '{}'`,
    sql`truncate invoices cascade`,
  ])
    await expect(change.execute(db)).rejects.toThrow('append-only')
})

test.each([
  ['cross_border', 'CY', true],
  ['cross_border', 'DE', false],
  ['always', 'DE', true],
  ['never', 'CY', false],
])('the reverse charge with %s and a client in %s', async (rule, country, isNamed) => {
  const { aClosedCycle, anOwnCompany, aSupplier, invoicesNow, putSetting, readInvoice } =
    await openTestInvoices()
  await putSetting('reverse_charge', rule)
  await anOwnCompany()
  await aSupplier(1, { country })
  await aClosedCycle()
  const said = (await readInvoice((await invoicesNow())[0].id)).join(' ')
  expect(said.includes('Reverse charge')).toBe(isNamed)
  expect(said).toContain('Self-billing: issued by')
})

test('no period that ended before the day of invoices_from gets an invoice', async () => {
  const { aClosedCycle, anOwnCompany, aSupplier, invoicesNow, putSetting } = await openTestInvoices()
  await anOwnCompany()
  await aSupplier()
  await putSetting('invoices_from', '2026-03-10')
  await aClosedCycle()
  const { id } = await aClosedCycle()
  expect(await invoicesNow()).toMatchObject([{ periodId: `${id}-1` }])
  await putSetting('invoices_from', '')
  expect(await invoicesNow()).toHaveLength(2)
})

test('invoices read the same when their records are gone', async () => {
  const { db, deps, billing, invoicesNow, readInvoice } = await aScene()
  await billing.signStatements()
  const invoices = await invoicesNow()
  const before = await Promise.all(invoices.map(({ id }: { id: string }) => readInvoice(id)))
  const log = { info: () => undefined, warn: () => undefined }
  const later = { now: () => new Date('2027-06-01T00:00:00Z') }
  const jobs = retentionJobs({ db: deps.db, clock: later, log, textDays: 7, recordMonths: 13 })
  await jobs.find(({ name }) => name === 'drop-records')?.run(new AbortController().signal)
  expect((await sql<{ count: string }>`select count(*) from records`.execute(db)).rows[0]?.count).toBe('0')
  expect(await Promise.all(invoices.map(({ id }: { id: string }) => readInvoice(id)))).toEqual(before)
})

test("somebody else's invoices do not exist for a client", async () => {
  const { aSupplier, call, credit, invoicesNow } = await aScene()
  await aSupplier(2)
  await credit({ amount: '0.1' })
  const invoices = await invoicesNow()
  expect(invoices).toHaveLength(4)
  for (const { id, userId } of invoices) {
    const path = `/api/billing/invoices/${id}/invoice.pdf`
    for (const caller of [1, 2, 3])
      expect([caller, (await call(caller, 'GET', path)).status]).toEqual([
        caller,
        caller === userId ? 200 : 404,
      ])
    expect((await call(5, 'GET', path)).headers['content-type']).toBe('application/pdf')
  }
  expect((await call(4, 'GET', '/api/billing/invoices/999/invoice.pdf')).status).toBe(404)
  const own = await call(2, 'GET', '/api/billing/invoices')
  expect(own.body.map(({ userId }: { userId: number }) => userId)).toEqual([2])
  expect((await call(2, 'GET', '/api/billing/invoices?userId=1')).status).toBe(400)
  for (const path of [
    '/api/billing/all-invoices',
    '/api/billing/all-invoices/export',
    '/api/billing/missing-entities',
  ])
    expect((await call(2, 'GET', path)).status).toBe(403)
})

test('lists are filtered, sorted, paged and exported', async () => {
  const { aSupplier, call, credit, invoicesNow } = await aScene()
  await aSupplier(2, { legalName: 'Bo; "Zwei" =1+1' })
  await credit({ amount: '0.1' })
  await invoicesNow()
  const numbers = async (query: string, userId = 4) =>
    (await call(userId, 'GET', `/api/billing/${userId === 4 ? 'all-' : ''}invoices?${query}`)).body.map(
      ({ number }: { number: string }) => number.slice(-1) + number.slice(0, 2),
    )
  expect(await numbers('')).toEqual(['1CN', '3SB', '2SB', '1SB'])
  expect(await numbers('kind=invoice&order=asc')).toEqual(['1SB', '2SB', '3SB'])
  expect(await numbers('search=000002')).toEqual(['2SB'])
  expect(await numbers('search=zwei')).toEqual(['3SB'])
  expect(await numbers('sort=amount')).toEqual(['2SB', '1SB', '1CN', '3SB'])
  expect(await numbers('sort=userName&userId=2')).toEqual(['3SB'])
  expect(await numbers('from=2026-03-09&to=2026-03-09')).toHaveLength(4)
  expect(await numbers('to=2026-03-08')).toEqual([])
  expect(await numbers('search=u2', 1)).toEqual([])
  const page = await call(4, 'GET', '/api/billing/all-invoices?limit=3')
  expect((await call(4, 'GET', page.next ?? '')).body).toMatchObject([{ number: 'SB-2026-000001' }])
  const lines = (await call(4, 'GET', '/api/billing/all-invoices/export?kind=credit_note')).text.split('\r\n')
  expect(lines).toHaveLength(3)
  expect(lines[1]).toContain('CN-2026-000001,credit_note,2026-03-09T')
  expect(lines[1]).toContain(',-0.10,SB-2026-000001')
  expect((await call(4, 'GET', '/api/billing/all-invoices/export?userId=2')).text).toContain(
    '"Bo; ""Zwei"" =1+1"',
  )
  expect((await call(2, 'GET', '/api/billing/invoices/export')).text.split('\r\n')).toHaveLength(3)
})
