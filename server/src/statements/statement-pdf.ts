// A bill's statement as PDF: the client, the lines, the total, the address and the transfer. Visual language §14.
import { Readable } from 'node:stream'
import type { BillingPeriod, PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { StreamReply } from '../http/handlers.ts'
import { isolate, openPdf, type Pdf } from '../files/formats/pdf.ts'
import { bottom, drawFeet, drawTable, drawTotalRow, lineStep, margin, right } from './bill-table.ts'
import { figure, instant } from './pdf-text.ts'

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
  const below = await drawTable(pdf, drawHead(pdf, bill, payeeName), lines, () => drawPageHead(pdf, bill))
  const isCut = below > bottom - 90 - settlementOf(bill).length * lineStep
  drawTotal(pdf, isCut ? drawPageHead(pdf, bill) : below, bill)
  drawFeet(pdf, `Made ${instant(now.toISOString())} UTC`)
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

function drawTotal(pdf: Pdf, y: number, bill: BillingPeriod): void {
  let below = drawTotalRow(pdf, y, { label: 'Total', count: bill.totalSmsCount, amount: bill.totalCost })
  // The bill itself never changes: what became of it stands below its total.
  for (const [label, amount] of settlementOf(bill)) {
    pdf.text(margin, below, label)
    pdf.text(right, below, `${amount} USDT`, { align: 'right' })
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

/** What was deducted from the bill and received for it, and what is left to pay. An open period and one without a bill have none. */
function settlementOf(bill: BillingPeriod): [string, string][] {
  if (bill.status === 'no_bill' || bill.status === 'pending') return []
  const waivedMicro = (parseMicro(bill.reducedAmount) ?? 0n) - (parseMicro(bill.creditedAmount) ?? 0n)
  const taken: [string, string][] = [
    ['Credit notes', bill.creditedAmount],
    [bill.status === 'void' ? 'Voided' : 'Waived', formatMicro(waivedMicro, 2)],
    ['Set off', bill.setOffAmount],
  ]
  return [
    ...taken.flatMap(([label, amount]): [string, string][] =>
      parseMicro(amount) === 0n ? [] : [[label, `-${figure(amount)}`]],
    ),
    ['Received', figure(bill.receivedAmount)],
    ['Due', figure(bill.dueAmount)],
  ]
}
