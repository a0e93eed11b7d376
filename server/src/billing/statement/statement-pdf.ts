// A bill's statement as PDF: the client, the lines, the total, the address and the transfer. Visual language §14.
import { Readable } from 'node:stream'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { BillingPeriod, PeriodLine, ReviewedMessage } from '@tollgate/contract/billing.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import { isolate, openPdf, pageHeight, pageWidth, type Pdf } from '../../platform/formats/pdf.ts'
import { day, figure, grouped, instant, readable, wrapped } from './pdf-text.ts'

const margin = 56
const right = pageWidth - margin
const bottom = pageHeight - 72
const lineStep = 15
// The step between the lines of one entry.
const wrapStep = 12
// A few milliseconds of work: messages are answered between two turns.
const linesPerTurn = 10
const columns = { rate: margin + 250, count: margin + 350 } as const

const statusTexts: Record<BillingPeriod['status'], string> = {
  pending: 'Pending',
  sent_to_support: 'Sent to Support',
  paid: 'Paid',
  failed: 'Failed',
  void: 'Void',
  no_bill: 'No bill',
}

/** What a statement shows besides the bill itself. */
interface StatementParty {
  /** The full name in the payment profile; '' without one. */
  readonly payeeName: string
  readonly now: Date
}

/** The statement as a PDF download. It shows the bill's own lines, so that they always sum to its total. */
export async function writeStatement(
  bill: BillingPeriod,
  lines: readonly PeriodLine[],
  party: StatementParty,
): Promise<StreamReply> {
  const pdf = await openPdf(`Statement ${bill.id}`)
  await drawStatement(pdf, bill, lines, party)
  return {
    contentType: 'application/pdf',
    fileName: `statement-${bill.id}.pdf`,
    stream: Readable.from([await pdf.end()]),
  }
}

/** Writes the statement's pages, a few lines in each turn of the event loop. */
export async function drawStatement(
  pdf: Pdf,
  bill: BillingPeriod,
  lines: readonly PeriodLine[],
  { payeeName, now }: StatementParty,
): Promise<void> {
  let y = drawTableHead(pdf, drawHead(pdf, bill, payeeName))
  const goToNextPage = () => drawTableHead(pdf, drawPageHead(pdf, bill))
  for (const [index, line] of lines.entries()) {
    if (index % linesPerTurn === 0) await yieldToEventLoop()
    const reason = line.number === '' ? wrapped(pdf, adjustmentText(pdf, line), adjustmentWidth) : []
    const more = Math.max(0, reason.length - 1) * wrapStep
    if (y + more > bottom) y = goToNextPage()
    drawLine(pdf, y, line, reason)
    y += lineStep + more
    for (const message of line.messages) {
      if (y > bottom) y = goToNextPage()
      drawMessage(pdf, y, message)
      y += wrapStep
    }
  }
  if (y > bottom - 90 - reductionsOf(bill).length * lineStep) y = drawPageHead(pdf, bill)
  drawTotal(pdf, y, bill)
  const made = `Made ${instant(now.toISOString())} UTC`
  for (let page = 0; page < pdf.pageCount; page += 1) {
    const number = `Page ${page + 1} of ${pdf.pageCount}`
    pdf.text(margin, pageHeight - 40, made, { size: 8 }, page)
    pdf.text(right, pageHeight - 40, number, { size: 8, align: 'right' }, page)
  }
}

/** Starts a page. Returns the y where its content begins. */
function drawPageHead(pdf: Pdf, bill: BillingPeriod): number {
  pdf.addPage()
  pdf.text(margin, 64, 'Tollgate', { size: 14, font: 'bold' })
  pdf.text(margin + 76, 64, 'Statement', { size: 14 })
  pdf.text(right, 64, `Period ID: #${bill.id}`, { size: 10, align: 'right' })
  pdf.rule(margin, 76, right - margin)
  return 100
}

/** The first page's head, with the client and the state of the bill. Returns the y where the table begins. */
function drawHead(pdf: Pdf, bill: BillingPeriod, payeeName: string): number {
  drawPageHead(pdf, bill)
  const email = bill.userEmail !== '' && pdf.canWrite(bill.userEmail) ? `, ${bill.userEmail}` : ''
  const pairs: [string, string][] = [
    ['Client', `${pdf.canWrite(bill.userName) ? bill.userName : `User ${bill.userId}`}${email}`],
    // A name with missing letters would be another name.
    ...(payeeName !== '' && pdf.canWrite(payeeName)
      ? [['Payee', isolate(payeeName)] as [string, string]]
      : []),
    ['Period', `${instant(bill.periodStart)} – ${instant(bill.periodEnd)} UTC`],
    ['Status', bill.withheld === null ? statusTexts[bill.status] : 'Withheld for review'],
    ['Bill Sent', bill.billSentAt === null ? 'Not sent' : `${instant(bill.billSentAt)} UTC`],
    ['Payment Date', bill.paidAt === null ? 'Pending' : `${instant(bill.paidAt)} UTC`],
  ]
  let y = 98
  for (const [label, value] of pairs) {
    pdf.text(margin, y, label)
    pdf.text(margin + 110, y, value, { font: label === 'Client' ? 'bold' : 'regular' })
    y += lineStep
  }
  pdf.text(margin, y, 'USDT TRC20 Address')
  pdf.text(margin + 110, y, bill.usdtAddress === '' ? 'none given yet' : inFours(bill.usdtAddress), {
    font: 'mono',
    size: 9,
  })
  return y + 30
}

const inFours = (text: string) => text.match(/.{1,4}/g)?.join(' ') ?? ''

function drawTableHead(pdf: Pdf, y: number): number {
  pdf.text(margin, y, 'Number', { font: 'bold' })
  pdf.text(columns.rate, y, 'Rate (USD)', { font: 'bold', align: 'right' })
  pdf.text(columns.count, y, 'SMS', { font: 'bold', align: 'right' })
  pdf.text(right, y, 'Amount (USDT)', { font: 'bold', align: 'right' })
  pdf.rule(margin, y + 5, right - margin)
  return y + 19
}

/** `reason`: the lines of an adjustment's reason. */
function drawLine(pdf: Pdf, y: number, line: PeriodLine, reason: readonly string[]): void {
  for (const [index, text] of reason.entries()) pdf.text(margin, y + index * wrapStep, text)
  if (line.number !== '') {
    pdf.text(margin, y, `+${line.number}`, { font: 'mono' })
    if (line.rate !== '') pdf.text(columns.rate, y, rateFigure(line.rate), { align: 'right' })
    pdf.text(columns.count, y, grouped(String(line.smsCount)), { align: 'right' })
  }
  pdf.text(right, y, figure(line.amount), { align: 'right' })
}

/** A message that belongs to a line: its id, number, time, period and amount. */
function drawMessage(pdf: Pdf, y: number, { id, at, number, amount, heldIn }: ReviewedMessage): void {
  pdf.text(margin, y, id, { font: 'mono', size: 8 })
  pdf.text(margin + 140, y, `+${number}, ${instant(at)}, period #${heldIn}: ${figure(amount)}`, { size: 8 })
}

/** With three decimals, or with more when they are not 0. Visual language §13. */
function rateFigure(rate: string): string {
  return formatMicro(parseMicro(rate) ?? 0n, 3)
}

// Up to the column of amounts.
const adjustmentWidth = columns.count - margin

/** The reason was typed by a person: characters that the fonts do not have are left out. */
function adjustmentText(pdf: Pdf, { kind, reason, at }: PeriodLine): string {
  const written = readable(pdf, reason)
  if (kind === 'review') return written
  const text = written === '' || written === 'Adjustment' ? 'Adjustment' : `Adjustment: ${isolate(written)}`
  return at === null ? text : `${text} (${day(at)})`
}

function drawTotal(pdf: Pdf, y: number, bill: BillingPeriod): void {
  pdf.rule(margin, y - 6, right - margin)
  pdf.text(margin, y + 9, 'Total', { font: 'bold', size: 11 })
  pdf.text(columns.count, y + 9, grouped(String(bill.totalSmsCount)), { align: 'right' })
  pdf.text(right, y + 9, `${figure(bill.totalCost)} USDT`, { font: 'bold', size: 11, align: 'right' })
  pdf.rule(margin, y + 15, right - margin)
  pdf.rule(margin, y + 17.5, right - margin)
  let below = y + 38
  // The bill itself never changes: what a credit note takes off stands below its total.
  for (const [label, amount] of reductionsOf(bill)) {
    pdf.text(margin, below, label)
    pdf.text(right, below, `${figure(amount)} USDT`, { align: 'right' })
    below += lineStep
  }
  pdf.text(margin, below, 'Transaction Hash')
  pdf.text(margin + 110, below, bill.paymentTxHash ?? 'not paid yet', {
    font: bill.paymentTxHash === null ? 'regular' : 'mono',
    size: bill.paymentTxHash === null ? 9 : 8,
  })
  if (bill.paymentVerification !== null) {
    pdf.text(margin, below + lineStep, 'Check on chain')
    pdf.text(margin + 110, below + lineStep, bill.paymentVerification)
  }
}

/** What was taken off the bill, and what is left to pay; nothing when nothing was taken off. */
function reductionsOf(bill: BillingPeriod): [string, string][] {
  if (bill.creditedAmount === '0.00') return []
  return [
    ['Credit notes', `-${bill.creditedAmount}`],
    ['Due', bill.dueAmount],
  ]
}
