// A bill's statement on paper: who, what for, how much, where to, and how it was paid. Visual language §14.
import { Readable } from 'node:stream'
import type { BillingPeriod, PeriodLine, ReviewedMessage } from '@tollgate/contract/billing.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import type { StreamReply } from '../../platform/http/handlers.ts'
import { canWrite, pageHeight, pageWidth, Pdf, widthOf } from '../../platform/formats/pdf.ts'

const margin = 56
const right = pageWidth - margin
const bottom = pageHeight - 72
const lineStep = 15
// Within an entry of several lines.
const wrapStep = 12
const columns = { rate: margin + 250, count: margin + 350 } as const

const statusWords: Record<BillingPeriod['status'], string> = {
  pending: 'Pending',
  sent_to_support: 'Sent to Support',
  paid: 'Paid',
  failed: 'Failed',
  no_bill: 'No bill',
}

/** The statement as a PDF download. Written of the bill's own lines, so that they always sum to its total. */
export function writeStatement(bill: BillingPeriod, lines: readonly PeriodLine[], now: Date): StreamReply {
  return {
    contentType: 'application/pdf',
    fileName: `statement-${bill.id}.pdf`,
    stream: Readable.from([drawStatement(bill, lines, now)]),
  }
}

export function drawStatement(bill: BillingPeriod, lines: readonly PeriodLine[], now: Date): Buffer {
  const pdf = new Pdf()
  let y = head(pdf, bill)
  y = drawHeads(pdf, y)
  for (const line of lines) {
    const words = line.number === '' ? wrapped(adjustmentWords(line), adjustmentWidth) : []
    const more = Math.max(0, words.length - 1) * wrapStep
    if (y + more > bottom) y = drawHeads(pdf, head(pdf, bill, true))
    drawLine(pdf, y, line, words)
    y += lineStep + more
    for (const message of line.messages) {
      if (y > bottom) y = drawHeads(pdf, head(pdf, bill, true))
      drawMessage(pdf, y, message)
      y += wrapStep
    }
  }
  if (y > bottom - 90) y = head(pdf, bill, true)
  drawTotal(pdf, y, bill)
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
  return pdf.toBuffer(`Statement ${bill.id}`)
}

const day = (at: string) => at.slice(0, 10).split('-').toReversed().join('/')
const instant = (at: string) => `${day(at)} ${at.slice(11, 16)}`
const grouped = (digits: string) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',')

/** Two decimals, all six if any beyond the second is not 0. Visual language §13. */
function figure(amount: string): string {
  const micro = parseMicro(amount) ?? 0n
  const [whole = '0', fraction = ''] = formatMicro(micro, micro % 10_000n === 0n ? 2 : 6).split('.')
  return `${grouped(whole)}.${fraction.padEnd(micro % 10_000n === 0n ? 2 : 6, '0')}`
}

/** Gives where to go on. */
function head(pdf: Pdf, bill: BillingPeriod, isNext = false): number {
  pdf.addPage()
  pdf.text(margin, 64, 'Tollgate', { size: 14, font: 'bold' })
  pdf.text(margin + 68, 64, 'Statement', { size: 14 })
  pdf.text(right, 64, `Period ID: #${bill.id}`, { size: 10, align: 'right' })
  pdf.rule(margin, 76, right - margin)
  if (isNext) return 100
  // The standard fonts have Latin letters alone; a username is always of those.
  const name = canWrite(bill.userName) ? bill.userName : `User ${bill.userId}`
  const email = bill.userEmail !== '' && canWrite(bill.userEmail) ? bill.userEmail : ''
  const pairs: [string, string][] = [
    ['Client', email === '' ? name : `${name}, ${email}`],
    ['Period', `${instant(bill.periodStart)} – ${instant(bill.periodEnd)} UTC`],
    ['Status', statusWords[bill.status]],
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

function drawHeads(pdf: Pdf, y: number): number {
  pdf.text(margin, y, 'Number', { font: 'bold' })
  pdf.text(columns.rate, y, 'Rate (USD)', { font: 'bold', align: 'right' })
  pdf.text(columns.count, y, 'SMS', { font: 'bold', align: 'right' })
  pdf.text(right, y, 'Amount (USDT)', { font: 'bold', align: 'right' })
  pdf.rule(margin, y + 5, right - margin)
  return y + 19
}

/** `words`: an adjustment's, in lines. */
function drawLine(pdf: Pdf, y: number, line: PeriodLine, words: readonly string[]): void {
  for (const [place, text] of words.entries()) pdf.text(margin, y + place * wrapStep, text)
  if (line.number !== '') {
    pdf.text(margin, y, `+${line.number}`, { font: 'mono' })
    if (line.rate !== '') pdf.text(columns.rate, y, rateFigure(line.rate), { align: 'right' })
    pdf.text(columns.count, y, grouped(String(line.smsCount)), { align: 'right' })
  }
  pdf.text(right, y, figure(line.amount), { align: 'right' })
}

/** One of the messages that a line consists of: its id, where it went, and what it counts for. */
function drawMessage(pdf: Pdf, y: number, { id, at, number, amount, heldIn }: ReviewedMessage): void {
  pdf.text(margin, y, id, { font: 'mono', size: 8 })
  const words = `+${number}, ${instant(at)}, period #${heldIn}: ${figure(amount)}`
  pdf.text(margin + 140, y, words, { size: 8 })
}

/** Three decimals, more when they are not 0. Visual language §13. */
function rateFigure(rate: string): string {
  return formatMicro(parseMicro(rate) ?? 0n, 3)
}

// Up to where amounts begin.
const adjustmentWidth = columns.count - margin
const textSize = 9

/** The reason was typed by a person: what the standard fonts cannot write is left out. */
function adjustmentWords({ kind, reason, at }: PeriodLine): string {
  const written = Array.from(reason).filter(canWrite).join('').trim()
  if (kind === 'review') return written
  const words = written === '' || written === 'Adjustment' ? 'Adjustment' : `Adjustment: ${written}`
  return at === null ? words : `${words} (${day(at)})`
}

/** The text in lines of at most the given width; a word that is wider itself is broken. */
function wrapped(text: string, width: number): string[] {
  const isTooWide = (words: string) => widthOf(words, textSize) > width
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/\s+/)) {
    const joined = line === '' ? word : `${line} ${word}`
    if (!isTooWide(joined)) {
      line = joined
      continue
    }
    if (line !== '') lines.push(line)
    line = ''
    for (const character of word) {
      if (isTooWide(line + character)) {
        lines.push(line)
        line = ''
      }
      line += character
    }
  }
  return [...lines, line]
}

function drawTotal(pdf: Pdf, y: number, bill: BillingPeriod): void {
  pdf.rule(margin, y - 6, right - margin)
  pdf.text(margin, y + 9, 'Total', { font: 'bold', size: 11 })
  pdf.text(columns.count, y + 9, grouped(String(bill.totalSmsCount)), { align: 'right' })
  pdf.text(right, y + 9, `${figure(bill.totalCost)} USDT`, { font: 'bold', size: 11, align: 'right' })
  pdf.rule(margin, y + 15, right - margin)
  pdf.rule(margin, y + 17.5, right - margin)
  pdf.text(margin, y + 38, 'Transaction Hash')
  pdf.text(margin + 110, y + 38, bill.paymentTxHash ?? 'not paid yet', {
    font: bill.paymentTxHash === null ? 'regular' : 'mono',
    size: bill.paymentTxHash === null ? 9 : 8,
  })
  if (bill.paymentVerification !== null) {
    pdf.text(margin, y + 53, 'Check on chain')
    pdf.text(margin + 110, y + 53, bill.paymentVerification)
  }
}
