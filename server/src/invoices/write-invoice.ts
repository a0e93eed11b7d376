// Reads what an invoice shows, and writes it. All of it comes from rows that are never changed: the invoice and its entities,
// the lines of the bill, the ledger. So an invoice reads the same for as long as it is kept, also without its records.
import { Readable } from 'node:stream'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../platform/db.ts'
import { openPdf } from '../files/formats/pdf.ts'
import type { StreamReply } from '../http/handlers.ts'
import { findAmendment, type AmendmentRow } from '../amendments/index.ts'
import { listLines, noMessages } from '../billing/index.ts'
import { day, instant } from '../statements/index.ts'
import { entitiesOf, type EntityParty } from './entity-store.ts'
import { drawInvoice, titleOf, type InvoiceContent } from './invoice-pdf.ts'
import { findCreditNote, payoutLines, type InvoiceRow } from './invoice-views.ts'

/** An invoice as a PDF download. */
export async function writeInvoice(db: Db, invoice: InvoiceRow): Promise<StreamReply> {
  return download(await readInvoice(db, invoice), invoice.number.replaceAll('/', '-'))
}

/** The period that a credit note without a number is about. */
export interface CreditedPeriod {
  readonly startsAt: string
  readonly endsAt: string
  readonly userName: string
}

/** An amendment's credit note as a PDF download; until it has a number, without one and without the parties. */
export async function writeCreditNote(
  db: Db,
  note: AmendmentRow,
  { startsAt, endsAt, userName }: CreditedPeriod,
): Promise<StreamReply> {
  const invoice = await findCreditNote(db, note.id)
  if (invoice !== undefined) return writeInvoice(db, invoice)
  const content: InvoiceContent = {
    kind: 'credit_note',
    number: '',
    facts: [
      ['Client', userName],
      ['Date', instant((note.decided_at ?? note.requested_at).toISOString())],
      ...creditFacts(note),
      ['Period', periodText(startsAt, endsAt)],
    ],
    lines: [],
    total: credited(note.amount_micro ?? '0'),
    messageIds: note.message_ids,
    words: ['It gets its number once the legal entities of both sides are known.'],
  }
  return download(content, `credit-note-${note.id}`)
}

async function download(content: InvoiceContent, name: string): Promise<StreamReply> {
  const pdf = await openPdf(`${titleOf(content.kind)} ${content.number}`.trim())
  await drawInvoice(pdf, content)
  return {
    contentType: 'application/pdf',
    fileName: `${name}.pdf`,
    stream: Readable.from([await pdf.end()]),
  }
}

/** What an invoice shows. */
async function readInvoice(db: Db, invoice: InvoiceRow): Promise<InvoiceContent> {
  const entities = await entitiesOf(db, [invoice.supplier_id, invoice.customer_id])
  const party = (id: number): EntityParty => {
    const found = entities.find((entity) => entity.id === id)
    if (found === undefined) throw new Error(`The legal entity ${id} is missing`)
    return found
  }
  return {
    kind: invoice.kind,
    number: invoice.number,
    parties: { supplier: party(invoice.supplier_id), customer: party(invoice.customer_id) },
    words: invoice.words,
    ...(invoice.kind === 'invoice' ? await invoiceParts(db, invoice) : await creditParts(db, invoice)),
  }
}

type InvoiceParts = Pick<InvoiceContent, 'facts' | 'lines' | 'total' | 'messageIds'>

async function invoiceParts(db: Db, invoice: InvoiceRow): Promise<InvoiceParts> {
  const lines = await linesOf(db, invoice)
  const smsCount = lines.reduce((sum, line) => sum + line.smsCount, 0)
  return {
    facts: [
      ['Date', day(invoice.issued_at.toISOString())],
      ['Supply', 'SMS received on premium numbers'],
      ['Period', periodText(invoice.starts_at.toISOString(), invoice.ends_at.toISOString())],
      invoice.about === 'bill' ? ['Bill', billText(invoice)] : ['Payouts', `of period #${billId(invoice)}`],
    ],
    lines,
    total: { label: 'Total', count: smsCount, amount: formatMicro(BigInt(invoice.amount_micro), 2) },
    messageIds: [],
  }
}

/** The lines that sum to the invoice; those of 0 that only name messages under review are in the statement. */
async function linesOf(
  db: Db,
  { about, cycle_id: cycleId, user_id: userId }: InvoiceRow,
): Promise<PeriodLine[]> {
  if (about === 'bill') {
    const lines = await listLines(db, { cycleId, userId, isBilled: true })
    return lines.filter(({ kind }) => kind !== 'review').map((line) => ({ ...line, ...noMessages }))
  }
  return (await payoutLines(db, cycleId, userId)).map(({ number, sms_count, amount_micro }) => ({
    number,
    kind: 'traffic',
    reason: '',
    at: null,
    rate: '',
    smsCount: Number(sms_count),
    amount: formatMicro(BigInt(amount_micro), 2),
    recordsUrl: '',
    ...noMessages,
  }))
}

async function creditParts(db: Db, invoice: InvoiceRow): Promise<InvoiceParts> {
  const note = await findAmendment(db, invoice.amendment_id ?? '')
  if (note === undefined) throw new Error(`The amendment of ${invoice.number} is missing`)
  return {
    facts: [
      ['Date', day(invoice.issued_at.toISOString())],
      ['Corrects', `${invoice.corrects ?? ''} of ${day(invoice.corrects_issued_at?.toISOString() ?? '')}`],
      ...creditFacts(note),
      ['Period', periodText(invoice.starts_at.toISOString(), invoice.ends_at.toISOString())],
    ],
    lines: [],
    total: credited(invoice.amount_micro),
    messageIds: note.message_ids,
  }
}

/** Reasons that staff wrote for staff are not in it. */
function creditFacts(note: AmendmentRow): [string, string][] {
  return [
    ['Bill', billText(note)],
    ['Reason', [standardReason(note), note.client_reason].filter((text) => text !== '').join(' ')],
  ]
}

function standardReason({ kind, client_reason: typed, message_ids: ids }: AmendmentRow): string {
  if (kind === 'void') return 'The bill is void. What was due is in a later bill.'
  if (typed !== '') return ''
  return ids.length === 0 ? 'Corrected after review.' : 'Messages of this bill are reviewed.'
}

const credited = (amountMicro: string) => ({
  label: 'Taken off',
  amount: formatMicro(-BigInt(amountMicro), 2),
})

const billId = ({ cycle_id, user_id }: { cycle_id: number; user_id: number }) => `${cycle_id}-${user_id}`
const billText = (of: { cycle_id: number; user_id: number }) => `#${billId(of)}`
const periodText = (start: string, end: string) => `${instant(start)} – ${instant(end)} UTC`
