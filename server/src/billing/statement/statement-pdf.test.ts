import { inflateSync } from 'node:zlib'
import { expect, test } from 'vitest'
import type { BillingPeriod, PeriodLine } from '@tollgate/contract/billing.ts'
import { canWrite, pageWidth, Pdf, widthOf } from '../../platform/formats/pdf.ts'
import { drawStatement } from './statement-pdf.ts'

const bill: BillingPeriod = {
  id: '4-7',
  userId: 7,
  userName: 'client3',
  userEmail: 'client3@example.com',
  usdtAddress: 'TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA',
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  totalSmsCount: 38_914,
  totalCost: '1945.70',
  costPerSms: '0.05',
  status: 'paid',
  billSentAt: '2026-11-16T00:00:01.000Z',
  payableFrom: '2026-11-16T00:00:01.000Z',
  paidAt: '2026-11-18T10:00:00.000Z',
  paymentTxHash: 'ab'.repeat(32),
  paymentVerification: 'verified',
  verificationNote: '',
  approval: null,
  createdAt: '2026-11-09T00:00:00.000Z',
}
const line: PeriodLine = {
  number: '449098790142',
  kind: 'traffic',
  reason: '',
  at: null,
  rate: '0.05',
  smsCount: 1_200,
  amount: '60.00',
  recordsUrl: '',
  messages: [],
}
const now = new Date('2026-11-20T08:00:00Z')

/** Every text of a PDF in order, as a reader would show it. */
const textsOf = (pdf: Buffer): string[] => placesOf(pdf).map(({ text }) => text)

/** The same with its height above the page's foot, in points. */
function placesOf(pdf: Buffer): { text: string; y: number }[] {
  const texts: { text: string; y: number }[] = []
  let at = 0
  while ((at = pdf.indexOf('stream\n', at)) !== -1) {
    const end = pdf.indexOf('\nendstream', at)
    const content = inflateSync(pdf.subarray(at + 7, end)).toString('latin1')
    for (const [, y, hex = ''] of content.matchAll(/ ([\d.]+) Td <([0-9a-f]*)> Tj/g))
      texts.push({ text: Buffer.from(hex, 'hex').toString('latin1').replace(/\x96/g, '–'), y: Number(y) })
    at = end + 10
  }
  return texts
}

test('a statement says who, what for, how much, where to, and by which transfer', () => {
  const texts = textsOf(
    drawStatement(bill, [line, { ...line, number: '', rate: '', smsCount: 0, amount: '1885.7' }], now),
  )
  for (const part of [
    'Period ID: #4-7',
    'client3, client3@example.com',
    '09/11/2026 00:00 – 16/11/2026 00:00 UTC',
    'Paid',
    'TMPy Vucb 61WV KFtJ D81p 4QNZ EdE3 QioT fA',
    '+449098790142',
    'Adjustment',
    '60.00',
    '1,885.70',
    '1,945.70 USDT',
    'ab'.repeat(32),
    'verified',
    'Page 1 of 1',
  ])
    expect(texts).toContain(part)
})

test('a long bill goes on over pages, each with its heads and number, and loses no line', () => {
  const lines = Array.from({ length: 130 }, (_, index) => ({
    ...line,
    number: String(449_098_790_000 + index),
  }))
  const texts = textsOf(drawStatement(bill, lines, now))
  expect(texts.filter((text) => /^\+4490987\d{5}$/.test(text))).toHaveLength(130)
  const pages = texts.filter((text) => text === 'Period ID: #4-7').length
  expect(pages).toBeGreaterThan(2)
  expect(texts).toContain(`Page ${pages} of ${pages}`)
  expect(texts.filter((text) => text === 'Amount (USDT)')).toHaveLength(pages)
})

test('the whole reason of an adjustment stands there, in lines that end before the amount', () => {
  const reason = `${'The carrier disputes the traffic of the night. '.repeat(8)}${'x'.repeat(120)}`.slice(
    0,
    496,
  )
  const adjustment = { ...line, number: '', rate: '', smsCount: 0, amount: '-0.5', reason }
  const texts = textsOf(drawStatement(bill, [{ ...adjustment, at: '2026-11-15T10:00:00.000Z' }, line], now))
  const first = texts.findIndex((text) => text.startsWith('Adjustment: '))
  const words = texts.slice(first, texts.indexOf('+449098790142')).filter((text) => !/^-?[\d.]+$/.test(text))
  expect(words.length).toBeGreaterThan(3)
  for (const text of words) expect(widthOf(text, 9)).toBeLessThanOrEqual(350)
  expect(words.join('').replaceAll(' ', '')).toBe(`Adjustment: ${reason} (15/11/2026)`.replaceAll(' ', ''))
  expect(texts).toContain('-0.50')
  expect(texts).toContain('0.050')
})

test('a line of releases names each message below it, over as many pages as it takes', () => {
  const messages = Array.from({ length: 150 }, (_, index) => ({
    id: `01KM40EJ000000000000000${String(index).padStart(3, '0')}`,
    at: '2026-11-03T10:00:00.000Z',
    number: '449098790142',
    amount: '0.05',
    heldIn: '3-7',
  }))
  const release = { ...line, number: '', rate: '', smsCount: 0, amount: '7.5', messages }
  const places = placesOf(
    drawStatement(
      bill,
      [line, { ...release, reason: 'Released after review: 150 SMS of earlier periods' }],
      now,
    ),
  )
  const texts = places.map(({ text }) => text)
  for (const { id } of messages) expect(texts).toContain(id)
  expect(texts).toContain('+449098790142, 03/11/2026 10:00, period #3-7: 0.05')
  for (const { text, y } of places) if (text.startsWith('01KM')) expect(y).toBeGreaterThan(50)
})

test('adjustments of many lines never run into the foot of a page', () => {
  const adjustment = {
    ...line,
    number: '',
    rate: '',
    smsCount: 0,
    amount: '1',
    reason: 'dispute '.repeat(60),
  }
  const pdf = drawStatement(
    bill,
    Array.from({ length: 30 }, () => adjustment),
    now,
  )
  const starts = placesOf(pdf).filter(({ text }) => text.startsWith('dispute'))
  expect(starts.length).toBeGreaterThan(90)
  for (const { y } of starts) expect(y).toBeGreaterThan(50)
})

test('an unpaid bill says so and shows no hash', () => {
  const unpaid: BillingPeriod = {
    ...bill,
    status: 'sent_to_support',
    usdtAddress: '',
    paidAt: null,
    paymentTxHash: null,
    paymentVerification: null,
    totalCost: '0.000001',
  }
  const texts = textsOf(drawStatement(unpaid, [], now))
  for (const part of ['Sent to Support', 'none given yet', 'Pending', 'not paid yet', '0.000001 USDT'])
    expect(texts).toContain(part)
})

test('the file is a PDF whose table finds every object', () => {
  const pdf = drawStatement(bill, [line], now)
  const text = pdf.toString('latin1')
  expect(text.startsWith('%PDF-1.4\n')).toBe(true)
  const start = Number(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1])
  expect(text.slice(start, start + 5)).toBe('xref\n')
  const offsets = [...text.slice(start).matchAll(/^(\d{10}) 00000 n $/gm)].map(([, offset]) => Number(offset))
  expect(offsets).toHaveLength(Number(/\/Size (\d+)/.exec(text)?.[1]) - 1)
  for (const [index, offset] of offsets.entries())
    expect(text.slice(offset)).toMatch(new RegExp(`^${index + 1} 0 obj\n`))
})

test('the standard fonts write Latin letters, and say what they cannot', () => {
  expect(canWrite('Größe – 5 ×')).toBe(true)
  expect(canWrite('שלום')).toBe(false)
  expect(widthOf('00', 10)).toBe(11.12)
  expect(widthOf('ab', 10, 'mono')).toBe(12)
  // Amounts align in both; words are wider in bold.
  expect(widthOf('1,395.60 USDT', 10, 'bold')).toBe(widthOf('1,395.60 USDT', 10))
  expect(widthOf('Amount', 10, 'bold')).toBeCloseTo(37.77)
  const pdf = new Pdf()
  expect(() => pdf.text(0, 0, 'a')).toThrow('no such page')
  expect(widthOf('W'.repeat(200), 9)).toBeGreaterThan(pageWidth)
})
