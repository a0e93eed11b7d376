// Reads what a paper shows, and writes it. All of it comes from rows that are never changed: the paper and its entities,
// the lines of the bill, the ledger. So a paper reads the same for as long as it is kept, also without its records.
import { Readable } from 'node:stream'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Db } from '../platform/db.ts'
import { openPdf } from '../files/formats/pdf.ts'
import type { StreamReply } from '../http/handlers.ts'
import { findAmendment, type AmendmentRow } from '../amendments/index.ts'
import { listLines } from '../billing/index.ts'
import { day, instant } from '../statements/index.ts'
import { entitiesOf, type EntityParty } from './entity-store.ts'
import { drawPaper, titleOf, type PaperContent } from './paper-pdf.ts'
import { findCreditNote, payoutLines, type PaperRow } from './paper-views.ts'

/** A paper as a PDF download. */
export async function writePaper(db: Db, paper: PaperRow): Promise<StreamReply> {
  return download(await readPaper(db, paper), paper.number.replaceAll('/', '-'))
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
  const paper = await findCreditNote(db, note.id)
  if (paper !== undefined) return writePaper(db, paper)
  const content: PaperContent = {
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

async function download(content: PaperContent, name: string): Promise<StreamReply> {
  const pdf = await openPdf(`${titleOf(content.kind)} ${content.number}`.trim())
  await drawPaper(pdf, content)
  return {
    contentType: 'application/pdf',
    fileName: `${name}.pdf`,
    stream: Readable.from([await pdf.end()]),
  }
}

/** What a paper shows. */
async function readPaper(db: Db, paper: PaperRow): Promise<PaperContent> {
  const entities = await entitiesOf(db, [paper.supplier_id, paper.customer_id])
  const party = (id: number): EntityParty => {
    const found = entities.find((entity) => entity.id === id)
    if (found === undefined) throw new Error(`The legal entity ${id} is missing`)
    return found
  }
  return {
    kind: paper.kind,
    number: paper.number,
    parties: { supplier: party(paper.supplier_id), customer: party(paper.customer_id) },
    words: paper.words,
    ...(paper.kind === 'invoice' ? await invoiceParts(db, paper) : await creditParts(db, paper)),
  }
}

type PaperParts = Pick<PaperContent, 'facts' | 'lines' | 'total' | 'messageIds'>

async function invoiceParts(db: Db, paper: PaperRow): Promise<PaperParts> {
  const lines = await linesOf(db, paper)
  const smsCount = lines.reduce((sum, line) => sum + line.smsCount, 0)
  return {
    facts: [
      ['Date', day(paper.issued_at.toISOString())],
      ['Supply', 'SMS received on premium numbers'],
      ['Period', periodText(paper.starts_at.toISOString(), paper.ends_at.toISOString())],
      paper.about === 'bill' ? ['Bill', billText(paper)] : ['Payouts', `of period #${billId(paper)}`],
    ],
    lines,
    total: { label: 'Total', count: smsCount, amount: formatMicro(BigInt(paper.amount_micro), 2) },
    messageIds: [],
  }
}

/** The lines that sum to the invoice; those of 0 that only name messages under review are in the statement. */
async function linesOf(
  db: Db,
  { about, cycle_id: cycleId, user_id: userId }: PaperRow,
): Promise<PeriodLine[]> {
  if (about === 'bill') {
    const lines = await listLines(db, cycleId, userId, false)
    return lines.filter(({ kind }) => kind !== 'review').map((line) => ({ ...line, messages: [] }))
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
    messages: [],
  }))
}

async function creditParts(db: Db, paper: PaperRow): Promise<PaperParts> {
  const note = await findAmendment(db, paper.amendment_id ?? '')
  if (note === undefined) throw new Error(`The amendment of ${paper.number} is missing`)
  return {
    facts: [
      ['Date', day(paper.issued_at.toISOString())],
      ['Corrects', `${paper.corrects ?? ''} of ${day(paper.corrects_issued_at?.toISOString() ?? '')}`],
      ...creditFacts(note),
      ['Period', periodText(paper.starts_at.toISOString(), paper.ends_at.toISOString())],
    ],
    lines: [],
    total: credited(paper.amount_micro),
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
