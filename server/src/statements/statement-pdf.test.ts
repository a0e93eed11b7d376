import { expect, test } from 'vitest'
import type { BillingPeriod, PeriodLine } from '@tollgate/contract/billing/bills.ts'
import { openPdf, pageHeight } from '../files/formats/pdf.ts'
import { drawStatement } from './statement-pdf.ts'

const bill: BillingPeriod = {
  id: '4-7',
  userId: 7,
  userName: 'client3',
  userEmail: 'client3@example.com',
  usdtAddress: 'TMPyVucb61WVKFtJD81p4QNZEdE3QioTfA',
  periodStart: '2026-11-09T00:00:00.000Z',
  periodEnd: '2026-11-16T00:00:00.000Z',
  recordsUrl: '',
  totalSmsCount: 38_914,
  totalCost: '1945.70',
  receivedAmount: '0.00',
  dueAmount: '0.00',
  setOffAmount: '0.00',
  reducedAmount: '0.00',
  paymentId: null,
  costPerSms: '0.05',
  status: 'paid',
  billSentAt: '2026-11-16T00:00:01.000Z',
  payableFrom: '2026-11-16T00:00:01.000Z',
  paidAt: '2026-11-18T10:00:00.000Z',
  paymentTxHash: 'ab'.repeat(32),
  paymentVerification: 'verified',
  verificationNote: '',
  approval: null,
  withheld: null,
  creditedAmount: '0.00',
  runId: null,
  pendingAmendment: null,
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
  messageCount: 0,
  messageAmount: '0.00',
  messageSums: [],
}
const now = new Date('2026-11-20T08:00:00Z')

interface WrittenText {
  readonly text: string
  /** The height above the page's foot, in points. */
  readonly y: number
  readonly width: number
}

/** Every text of a statement in the order of writing. */
async function writtenTexts(
  shown: BillingPeriod,
  lines: readonly PeriodLine[],
  payeeName = '',
): Promise<WrittenText[]> {
  const pdf = await openPdf('Statement')
  const texts: WrittenText[] = []
  const write = pdf.text.bind(pdf)
  pdf.text = (x, y, text, style, page) => {
    texts.push({
      text: text.replace(/\p{Bidi_Control}/gu, ''),
      y: pageHeight - y,
      width: pdf.widthOf(text, style?.size, style?.font),
    })
    write(x, y, text, style, page)
  }
  await drawStatement(pdf, shown, lines, { payeeName, now })
  return texts
}

async function textsOf(...input: Parameters<typeof writtenTexts>): Promise<string[]> {
  return (await writtenTexts(...input)).map(({ text }) => text)
}

test('a statement shows the client, the lines, the total, the address and the transfer', async () => {
  const texts = await textsOf(bill, [line, { ...line, number: '', rate: '', smsCount: 0, amount: '1885.7' }])
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

test('a statement says what was credited, set off, waived, received and is due', async () => {
  const texts = await textsOf(
    {
      ...bill,
      status: 'sent_to_support',
      creditedAmount: '20.00',
      reducedAmount: '1020.5',
      setOffAmount: '5.00',
      receivedAmount: '900.00',
      dueAmount: '20.2',
    },
    [line],
  )
  const after = texts.slice(texts.indexOf('Total'))
  const pairs = ['Credit notes', 'Waived', 'Set off', 'Received', 'Due'].map((label) => [
    label,
    after[after.indexOf(label) + 1],
  ])
  expect(pairs).toEqual([
    ['Credit notes', '-20.00 USDT'],
    ['Waived', '-1,000.50 USDT'],
    ['Set off', '-5.00 USDT'],
    ['Received', '900.00 USDT'],
    ['Due', '20.20 USDT'],
  ])
  const untouched = await textsOf({ ...bill, receivedAmount: '1945.70' }, [line])
  expect(untouched).toContain('Received')
  for (const label of ['Credit notes', 'Waived', 'Set off']) expect(untouched).not.toContain(label)
})

test('a long bill continues on further pages, each with its heads and number, and no line is missing', async () => {
  const lines = Array.from({ length: 130 }, (_, index) => ({
    ...line,
    number: String(449_098_790_000 + index),
  }))
  const texts = await textsOf(bill, lines)
  expect(texts.filter((text) => /^\+4490987\d{5}$/.test(text))).toHaveLength(130)
  const pages = texts.filter((text) => text === 'Period ID: #4-7').length
  expect(pages).toBeGreaterThan(2)
  expect(texts).toContain(`Page ${pages} of ${pages}`)
  expect(texts.filter((text) => text === 'Amount (USDT)')).toHaveLength(pages)
})

test('an adjustment shows its whole reason, in lines that end before the amount', async () => {
  const reason = `${'The carrier disputes the traffic of the night. '.repeat(8)}${'x'.repeat(120)}`.slice(
    0,
    496,
  )
  const adjustment = { ...line, number: '', rate: '', smsCount: 0, amount: '-0.5', reason }
  const written = await writtenTexts(bill, [{ ...adjustment, at: '2026-11-15T10:00:00.000Z' }, line])
  const texts = written.map(({ text }) => text)
  const first = texts.findIndex((text) => text.startsWith('Adjustment: '))
  const reasonLines = written
    .slice(first, texts.indexOf('+449098790142'))
    .filter(({ text }) => !/^-?[\d.]+$/.test(text))
  expect(reasonLines.length).toBeGreaterThan(3)
  for (const { width } of reasonLines) expect(width).toBeLessThanOrEqual(350)
  const shownReason = reasonLines.map(({ text }) => text).join('')
  expect(shownReason.replaceAll(' ', '')).toBe(`Adjustment: ${reason} (15/11/2026)`.replaceAll(' ', ''))
  expect(texts).toContain('-0.50')
  expect(texts).toContain('0.050')
})

test('a line of releases names each of its messages, on as many pages as they need', async () => {
  const messages = Array.from({ length: 150 }, (_, index) => ({
    id: `01KM40EJ000000000000000${String(index).padStart(3, '0')}`,
    at: '2026-11-03T10:00:00.000Z',
    number: '449098790142',
    amount: '0.05',
    heldIn: '3-7',
  }))
  const release = { ...line, number: '', rate: '', smsCount: 0, amount: '7.5', messages }
  const written = await writtenTexts(bill, [
    line,
    { ...release, reason: 'Released after review: 150 SMS of earlier periods' },
  ])
  const texts = written.map(({ text }) => text)
  for (const { id } of messages) expect(texts).toContain(id)
  expect(texts).toContain('+449098790142, 03/11/2026 10:00, period #3-7: 0.05')
  for (const { text, y } of written) if (text.startsWith('01KM')) expect(y).toBeGreaterThan(50)
})

test('adjustments of many lines never overlap the foot of a page', async () => {
  const adjustment = {
    ...line,
    number: '',
    rate: '',
    smsCount: 0,
    amount: '1',
    reason: 'dispute '.repeat(60),
  }
  const written = await writtenTexts(
    bill,
    Array.from({ length: 30 }, () => adjustment),
  )
  const starts = written.filter(({ text }) => text.startsWith('dispute'))
  expect(starts.length).toBeGreaterThan(60)
  for (const { y } of starts) expect(y).toBeGreaterThan(50)
})

test('an unpaid bill is shown as unpaid, without a hash', async () => {
  const unpaid: BillingPeriod = {
    ...bill,
    status: 'sent_to_support',
    usdtAddress: '',
    paidAt: null,
    paymentTxHash: null,
    paymentVerification: null,
    totalCost: '0.000001',
  }
  const texts = await textsOf(unpaid, [])
  for (const part of ['Sent to Support', 'none given yet', 'Pending', 'not paid yet', '0.000001 USDT'])
    expect(texts).toContain(part)
})

test.each(['Zoë Łukasiewicz', 'Ναταλία Παπαδοπούλου', 'Олена Ткаченко', 'רחל כהן', 'سارة المصري'])(
  'the payee is shown by the full name, in whatever script: %s',
  async (payeeName) => {
    expect(await textsOf(bill, [line], payeeName)).toContain(payeeName)
  },
)

test('a payee whose name the fonts cannot write is shown by the username alone', async () => {
  const texts = await textsOf(bill, [line], '山田花子')
  expect(texts).not.toContain('Payee')
  expect(texts).toContain('client3, client3@example.com')
})

test('a line of many messages has their sums and the first hundred', async () => {
  const messages = Array.from({ length: 100 }, (_, index) => ({
    id: `01KM40EJ000000000000000${String(index).padStart(3, '0')}`,
    at: '2026-11-03T10:00:00.000Z',
    number: '449098790142',
    amount: '0.05',
    heldIn: '4-7',
  }))
  const held = {
    ...line,
    kind: 'review' as const,
    number: '',
    rate: '',
    smsCount: 0,
    amount: '0.00',
    messages,
  }
  const sums = [{ number: '449098790142', rate: '0.05', count: 1_000, amount: '50.00' }]
  const reason = 'Held for review: 1,000 SMS, in no bill until released'
  const texts = await textsOf(bill, [
    { ...held, reason, messageCount: 1_000, messageAmount: '50.00', messageSums: sums },
  ])
  expect(texts.filter((text) => text.startsWith('01KM'))).toHaveLength(100)
  expect(texts).toContain('at 0.050, 1,000 SMS: 50.00')
  expect(texts).toContain('and 900 more, in SMS Records and in the signed records')
})
