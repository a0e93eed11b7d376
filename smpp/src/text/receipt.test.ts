import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatReceipt, parseReceipt, stateNames, type StateName } from './receipt.ts'

const at = (text: string) => new Date(`${text}Z`)
const receipt = {
  id: '0123456789',
  deliveredCount: 1,
  submittedAt: at('2024-03-09T07:05:59'),
  doneAt: at('2024-12-31T23:59:00'),
  state: 'DELIVRD',
  errorCode: 0,
  text: 'Your code is 123456, thank you',
} as const

test('a receipt is written in the form of Appendix B to the letter', () => {
  expect(formatReceipt(receipt)).toBe(
    'id:0123456789 sub:001 dlvrd:001 submit date:2403090705 done date:2412312359 stat:DELIVRD err:000 text:Your code is 123456,',
  )
})

test('the quoted text is ASCII of at most 20 characters, each other character one question mark', () => {
  expect(formatReceipt({ ...receipt, text: 'א😀\n\0é|~ok' })).toMatch(/ text:\?{5}\|~ok$/)
  expect(formatReceipt({ ...receipt, text: undefined })).toMatch(/ err:000 text:$/)
})

test('counts and errors have three digits', () => {
  expect(formatReceipt({ ...receipt, submittedCount: 12, deliveredCount: 0, errorCode: 5 })).toContain(
    'sub:012 dlvrd:000',
  )
  expect(formatReceipt({ ...receipt, errorCode: 70_000 })).toContain('err:999')
})

test('what is written is read back, in every state', () => {
  const minutes = fc
    .integer({ min: 0, max: 52_000_000 })
    .map((minute) => new Date(at('2000-01-01T00:00').getTime() + minute * 60_000))
  const words = Object.keys(stateNames) as StateName[]
  fc.assert(
    fc.property(
      fc.stringMatching(/^[0-9A-Za-z-]{1,64}$/),
      fc.constantFrom(...words),
      minutes,
      minutes,
      fc.nat(999),
      fc.string({ unit: 'binary' }),
      (id, state, submittedAt, doneAt, errorCode, text) => {
        const written = formatReceipt({ id, deliveredCount: 1, submittedAt, doneAt, state, errorCode, text })
        expect(parseReceipt(written)).toMatchObject({
          id,
          state: stateNames[state],
          stateText: state,
          submittedCount: 1,
          deliveredCount: 1,
          submittedAt,
          doneAt,
          error: String(errorCode).padStart(3, '0'),
        })
      },
    ),
  )
})

test.each([
  [
    'capitals and spaces',
    'ID: 42 Sub: 001 Dlvrd: 001 Submit Date: 2403090705 Done Date: 2403090706 Stat: DELIVRD Err: 000 Text: hi',
  ],
  [
    'underscores and another order',
    'stat:DELIVRD done_date:2403090706 submit_date:2403090705 err:000 id:42 dlvrd:001 sub:001 text:hi',
  ],
  [
    'seconds',
    'id:42 sub:001 dlvrd:001 submit date:240309070500 done date:240309070600 stat:DELIVRD err:000 text:hi',
  ],
  [
    'a century',
    'id:42 sub:001 dlvrd:001 submit date:202403090705 done date:20240309070600 stat:DELIVERED err:000 text:hi',
  ],
  [
    'padding',
    'id:42        \0 sub:001 dlvrd:001 submit date:2403090705 done date:2403090706 stat:DELIVRD\0 err:000 Text:hi\0',
  ],
  [
    'commas',
    'id:42,sub:001,dlvrd:001,submit date:2403090705,done date:2403090706,stat:DELIVRD,err:000,text:hi',
  ],
])('receipts of other centres are read: %s', (_, text) => {
  expect(parseReceipt(text)).toMatchObject({
    id: '42',
    state: 2,
    submittedCount: 1,
    deliveredCount: 1,
    submittedAt: at('2024-03-09T07:05:00'),
    doneAt: at('2024-03-09T07:06:00'),
    error: '000',
    text: 'hi',
  })
})

test('a field inside the quoted message is not read', () => {
  const parsed = parseReceipt('id:1 stat:UNDELIV err:001 text:stat:DELIVRD id:2')
  expect(parsed).toMatchObject({ id: '1', state: 5, text: 'stat:DELIVRD id:2' })
  expect(parseReceipt('id:1 id:2 stat:REJECTD stat:DELIVRD')).toMatchObject({ id: '1', state: 8 })
})

test('missing and unusable fields are undefined', () => {
  expect(parseReceipt('id:1 sub:x submit date:2413090705 done date:2402300000 stat:FAILED')).toEqual({
    id: '1',
    state: undefined,
    stateText: 'FAILED',
    submittedCount: undefined,
    deliveredCount: undefined,
    submittedAt: undefined,
    doneAt: undefined,
    error: undefined,
    text: undefined,
  })
  expect(parseReceipt('id:1 done date:2403092460 err:0x1F')).toMatchObject({
    doneAt: undefined,
    error: '0x1F',
  })
})

test('dates are converted from the time zone of the SMSC', () => {
  expect(parseReceipt('id:1 done date:2403090130', {}, 120)?.doneAt).toEqual(at('2024-03-08T23:30:00'))
})

test('parameters win over the text and suffice without it', () => {
  expect(parseReceipt('id:1 stat:DELIVRD', { receiptedMessageId: '9', messageState: 5 })).toMatchObject({
    id: '9',
    state: 5,
    stateText: 'DELIVRD',
  })
  expect(parseReceipt('', { receiptedMessageId: '9\0', messageState: 2 })).toMatchObject({
    id: '9',
    state: 2,
  })
  expect(parseReceipt('id:1 stat:DELIVRD', { receiptedMessageId: '', messageState: 99 })).toMatchObject({
    id: '1',
    state: 2,
  })
})

test('a text that names neither message nor state is no receipt', () => {
  for (const text of ['', 'Hello', 'text:id:1 stat:DELIVRD', 'paid:12 rapid:3', ':::'])
    expect(parseReceipt(text)).toBeUndefined()
})
