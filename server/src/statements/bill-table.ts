// The table of a bill's lines, and the foot of pages, as statements and invoices have them. Visual language §14.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import type { PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { formatMicro, parseMicro } from '@tollgate/contract/money.ts'
import { isolate, pageHeight, pageWidth, type Pdf } from '../files/formats/pdf.ts'
import { day, figure, grouped, instant, readable, wrapped } from './pdf-text.ts'

export const margin = 56
export const right = pageWidth - margin
export const bottom = pageHeight - 72
export const lineStep = 15
/** The step between the lines of one entry. */
export const wrapStep = 12
const columns = { rate: margin + 250, count: margin + 350 } as const

// A few milliseconds of work: messages are answered between two turns.
const linesPerTurn = 10

/** Writes the table from `y` on, a few lines in each turn of the event loop. Returns the y below it. */
export async function drawTable(
  pdf: Pdf,
  y: number,
  lines: readonly PeriodLine[],
  /** Starts a page, and returns the y where its content begins. */
  startPage: () => number,
): Promise<number> {
  let at = drawTableHead(pdf, y)
  const goToNextPage = () => drawTableHead(pdf, startPage())
  for (const [index, line] of lines.entries()) {
    if (index % linesPerTurn === 0) await yieldToEventLoop()
    const reason = line.number === '' ? wrapped(pdf, adjustmentText(pdf, line), adjustmentWidth) : []
    const more = Math.max(0, reason.length - 1) * wrapStep
    if (at + more > bottom) at = goToNextPage()
    drawLine(pdf, at, line, reason)
    at += lineStep + more
    for (const text of reviewedTexts(line)) {
      if (at > bottom) at = goToNextPage()
      drawReviewed(pdf, at, text)
      at += wrapStep
    }
  }
  return at
}

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

type ReviewedText = readonly [mono: string, text: string]

/** What belongs to a line of releases or of review: when there are more than the first hundred messages, the sums of all. */
function reviewedTexts({ messages, messageCount, messageSums }: PeriodLine): ReviewedText[] {
  const named = messages.map(({ id, at, number, amount, heldIn }): ReviewedText => [
    id,
    `+${number}, ${instant(at)}, period #${heldIn}: ${figure(amount)}`,
  ])
  const more = messageCount - messages.length
  if (more <= 0) return named
  const sums = messageSums.map(({ number, rate, count, amount }): ReviewedText => [
    `+${number}`,
    `${rate === '' ? '' : `at ${rateFigure(rate)}, `}${grouped(String(count))} SMS: ${figure(amount)}`,
  ])
  return [
    ...sums,
    ...named,
    ['', `and ${grouped(String(more))} more, in SMS Records and in the signed records`],
  ]
}

function drawReviewed(pdf: Pdf, y: number, [mono, text]: ReviewedText): void {
  pdf.text(margin, y, mono, { font: 'mono', size: 8 })
  pdf.text(margin + 140, y, text, { size: 8 })
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

/** The row of the total, between its rules. Returns the y below it. */
export function drawTotalRow(
  pdf: Pdf,
  y: number,
  { label, count, amount }: { label: string; count?: number; amount: string },
): number {
  pdf.rule(margin, y - 6, right - margin)
  pdf.text(margin, y + 9, label, { font: 'bold', size: 11 })
  if (count !== undefined) pdf.text(columns.count, y + 9, grouped(String(count)), { align: 'right' })
  pdf.text(right, y + 9, `${figure(amount)} USDT`, { font: 'bold', size: 11, align: 'right' })
  pdf.rule(margin, y + 15, right - margin)
  pdf.rule(margin, y + 17.5, right - margin)
  return y + 38
}

/** The foot of all pages, with their numbers. */
export function drawFeet(pdf: Pdf, text: string): void {
  for (let page = 0; page < pdf.pageCount; page += 1) {
    const number = `Page ${page + 1} of ${pdf.pageCount}`
    pdf.text(margin, pageHeight - 40, text, { size: 8 }, page)
    pdf.text(right, pageHeight - 40, number, { size: 8, align: 'right' }, page)
  }
}
