// A credit note as PDF. It names its bill and says what it takes off; the bill and its statement stay as they are.
import { Readable } from 'node:stream'
import type { Amendment } from '@tollgate/contract/amendments.ts'
import type { BillingPeriod } from '@tollgate/contract/billing.ts'
import { isolate, openPdf, pageHeight, pageWidth } from '../../platform/formats/pdf.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import { figure, instant, readable, wrapped } from '../statement/pdf-text.ts'

const margin = 56
const right = pageWidth - margin
const valueX = margin + 110
const lineStep = 15
const bottom = pageHeight - 72
const idsPerLine = 3

/** The credit note as a download. Reasons that staff wrote for staff are not in it. */
export async function writeCreditNote(note: Amendment, bill: BillingPeriod, now: Date): Promise<StreamReply> {
  const pdf = await openPdf(`Credit note ${note.id}`)
  let y = 0
  const addPage = () => {
    pdf.addPage()
    pdf.text(margin, 64, 'Tollgate', { size: 14, font: 'bold' })
    pdf.text(margin + 76, 64, 'Credit note', { size: 14 })
    pdf.text(right, 64, `#CN-${note.id}`, { size: 10, align: 'right' })
    pdf.rule(margin, 76, right - margin)
    y = 98
  }
  addPage()
  const pairs: [string, string][] = [
    ['Client', pdf.canWrite(bill.userName) ? bill.userName : `User ${bill.userId}`],
    ['Bill', `#${bill.id} of ${figure(bill.totalCost)} USDT`],
    ['Period', `${instant(bill.periodStart)} – ${instant(bill.periodEnd)} UTC`],
    ['Date', `${instant(note.decidedAt ?? note.requestedAt)} UTC`],
  ]
  for (const [label, value] of pairs) {
    pdf.text(margin, y, label)
    pdf.text(valueX, y, value)
    y += lineStep
  }
  const reason = readable(pdf, note.clientReason)
  pdf.text(margin, y, 'Reason')
  for (const line of wrapped(pdf, reason === '' ? reasonWithout(note) : isolate(reason), right - valueX)) {
    pdf.text(valueX, y, line)
    y += lineStep
  }
  y += lineStep
  pdf.rule(margin, y - 6, right - margin)
  pdf.text(margin, y + 9, 'Taken off this bill', { font: 'bold', size: 11 })
  pdf.text(right, y + 9, `-${figure(note.amount)} USDT`, { font: 'bold', size: 11, align: 'right' })
  pdf.rule(margin, y + 15, right - margin)
  y += 38
  if (note.messageIds.length > 0) {
    pdf.text(margin, y, 'Messages held for review. What is released of them is in a later bill.')
    y += lineStep
    for (let first = 0; first < note.messageIds.length; first += idsPerLine) {
      if (y > bottom) addPage()
      for (const [place, id] of note.messageIds.slice(first, first + idsPerLine).entries())
        pdf.text(margin + place * 160, y, id, { font: 'mono', size: 8 })
      y += 12
    }
  }
  const made = `Made ${instant(now.toISOString())} UTC`
  for (let page = 0; page < pdf.pageCount; page += 1) {
    pdf.text(margin, pageHeight - 40, made, { size: 8 }, page)
    pdf.text(
      right,
      pageHeight - 40,
      `Page ${page + 1} of ${pdf.pageCount}`,
      { size: 8, align: 'right' },
      page,
    )
  }
  return {
    contentType: 'application/pdf',
    fileName: `credit-note-${note.id}.pdf`,
    stream: Readable.from([await pdf.end()]),
  }
}

const reasonWithout = ({ messageIds }: Amendment): string =>
  messageIds.length === 0 ? 'Corrected after review' : 'Messages of this bill are reviewed'
