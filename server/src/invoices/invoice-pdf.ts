// An invoice or credit note as PDF: who supplies whom, what for, the sum, and the words that the law asks for.
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import type { InvoiceKind } from '@tollgate/contract/vocabulary.ts'
import { isolate, type Pdf } from '../files/formats/pdf.ts'
import {
  bottom,
  drawFeet,
  drawTable,
  drawTotalRow,
  lineStep,
  margin,
  right,
  wrapStep,
  readable,
  wrapped,
} from '../statements/index.ts'
import type { EntityParty } from './entity-store.ts'

/** Everything that an invoice shows. */
export interface InvoiceContent {
  readonly kind: InvoiceKind
  /** '' for a credit note that has no number yet. */
  readonly number: string
  /** Absent while there is no number. */
  readonly parties?: { readonly supplier: EntityParty; readonly customer: EntityParty }
  /** Label and value. */
  readonly facts: readonly (readonly [string, string])[]
  readonly lines: readonly PeriodLine[]
  readonly total: { readonly label: string; readonly count?: number; readonly amount: string }
  /** The messages that a credit note holds for review. */
  readonly messageIds: readonly string[]
  readonly words: readonly string[]
}

const titles: Record<InvoiceKind, string> = {
  invoice: 'Self-billing invoice',
  credit_note: 'Self-billing credit note',
}

export const titleOf = (kind: InvoiceKind): string => titles[kind]

const valueX = margin + 110
const customerX = margin + 254
const partyWidth = 228
const idsPerLine = 3

/** Writes the pages. */
export async function drawInvoice(pdf: Pdf, invoice: InvoiceContent): Promise<void> {
  const startPage = () => drawPageHead(pdf, invoice)
  let y = startPage()
  if (invoice.parties !== undefined) y = drawParties(pdf, y, invoice.parties)
  y = drawFacts(pdf, y, invoice.facts)
  if (invoice.lines.length > 0) y = await drawTable(pdf, y + 6, invoice.lines, startPage)
  if (y > bottom - 60) y = startPage()
  y = drawTotalRow(pdf, y, invoice.total)
  for (const text of invoice.words)
    for (const line of wrapped(pdf, readable(pdf, text), right - margin)) {
      if (y > bottom) y = startPage()
      pdf.text(margin, y, isolate(line))
      y += wrapStep
    }
  drawMessages(pdf, y + wrapStep, invoice.messageIds, startPage)
  drawFeet(pdf, invoice.number === '' ? 'This document has no number yet.' : invoice.number)
}

/** Starts a page. Returns the y where its content begins. */
function drawPageHead(pdf: Pdf, { kind, number }: InvoiceContent): number {
  pdf.addPage()
  pdf.text(margin, 64, titleOf(kind), { size: 14, font: 'bold' })
  pdf.text(right, 64, number === '' ? 'not numbered yet' : number, { size: 11, align: 'right' })
  pdf.rule(margin, 76, right - margin)
  return 100
}

function drawParties(
  pdf: Pdf,
  y: number,
  { supplier, customer }: NonNullable<InvoiceContent['parties']>,
): number {
  const ends = [
    drawParty(pdf, margin, y, 'Supplier', supplier),
    drawParty(pdf, customerX, y, 'Customer', customer),
  ]
  return Math.max(...ends) + lineStep
}

const countryNames = new Intl.DisplayNames(['en'], { type: 'region' })

/** Returns the y below it. */
function drawParty(pdf: Pdf, x: number, y: number, label: string, party: EntityParty): number {
  let at = y
  const write = (text: string, font: 'regular' | 'bold' = 'regular') => {
    for (const line of wrapped(pdf, text, partyWidth, { font })) {
      pdf.text(x, at, isolate(line), { font })
      at += wrapStep
    }
  }
  pdf.text(x, at, label, { size: 8 })
  at += lineStep
  // Saving made sure that the one or the other can be printed.
  const isNamePrinted = pdf.canWrite(party.legal_name)
  if (isNamePrinted) write(party.legal_name, 'bold')
  if (party.latin_name !== '') write(party.latin_name, isNamePrinted ? 'regular' : 'bold')
  const isAddressPrinted = party.address_lines.every((line) => pdf.canWrite(line))
  for (const line of isAddressPrinted ? party.address_lines : party.latin_address_lines) write(line)
  write(countryNames.of(party.country) ?? party.country)
  if (party.tax_number !== '') write(`Tax number ${party.tax_number}`)
  if (!isNamePrinted) write('Name in its own script: see the console')
  return at
}

function drawFacts(pdf: Pdf, y: number, facts: InvoiceContent['facts']): number {
  let at = y
  for (const [label, value] of facts) {
    pdf.text(margin, at, label)
    for (const line of wrapped(pdf, readable(pdf, value), right - valueX)) {
      pdf.text(valueX, at, isolate(line))
      at += wrapStep
    }
    at += lineStep - wrapStep
  }
  return at + wrapStep
}

function drawMessages(pdf: Pdf, y: number, ids: readonly string[], startPage: () => number): void {
  if (ids.length === 0) return
  let at = y > bottom ? startPage() : y
  pdf.text(margin, at, 'Messages held for review. What is released of them is in a later bill.')
  at += lineStep
  for (let first = 0; first < ids.length; first += idsPerLine) {
    if (at > bottom) at = startPage()
    for (const [place, id] of ids.slice(first, first + idsPerLine).entries())
      pdf.text(margin + place * 160, at, id, { font: 'mono', size: 8 })
    at += wrapStep
  }
}
