import { expect, test } from 'vitest'
import { keptSentence, keptText } from './kept-texts.ts'
import { inEnglish, sentence } from './sentences.ts'

const longNumber = keptText('Only {size} of {count} bytes arrived.', { size: 1_000, count: 2_500_000 })
const answered = { status: '403', code: 'AccessDenied', bucket: 'cdr.files' }
const fix = 'The key may not write there: permit it s3:PutObject for this bucket and folder.'

test('a kept text is ready English', () => {
  expect(longNumber).toBe('Only 1,000 of 2,500,000 bytes arrived.')
})

test('a kept text has its template and values again', () => {
  expect(keptSentence(longNumber)).toEqual(
    sentence('Only {size} of {count} bytes arrived.', { size: 1_000, count: 2_500_000 }),
  )
  expect(
    keptSentence(
      keptText('The transfer is of {amount} USDT instead of {due}.', { amount: '9.50', due: '10.00' }),
    ),
  ).toEqual(
    sentence('The transfer is of {amount} USDT instead of {due}.', {
      amount: { amount: '9.50' },
      due: { amount: '10.00' },
    }),
  )
})

test('a kept text has the names of a certificate again', () => {
  const template =
    'The gateway’s certificate is for {names}, but {expected} is expected: correct the host or the expected name.'
  const values = { names: 'smsc.internal, *.pool.internal', expected: '192.0.2.7' }
  expect(keptSentence(keptText(template, values))).toEqual(sentence(template, values))
})

test('a count without commas, as older rows have it, is one too', () => {
  expect(keptSentence('Only 1000 of 2500000 bytes arrived.')).toEqual(keptSentence(longNumber))
})

test('a text inside another one is told apart from a name', () => {
  const withFix = keptText('The storage answered {status} {code} for the bucket {bucket}. {fix}', {
    ...answered,
    fix,
  })
  expect(keptSentence(withFix)).toEqual(
    sentence('The storage answered {status} {code} for the bucket {bucket}. {fix}', {
      ...answered,
      fix: { text: fix },
    }),
  )
  const without = keptText('The storage answered {status} {code} for the bucket {bucket}.', answered)
  expect(keptSentence(without)?.values).toEqual(answered)
})

test.each([
  ['The server broke off. Folder: the one it opens.', '{reason} Folder: the one it opens.'],
  ['The server broke off. Folder: Eigene Dateien.', '{reason} Folder: {path}.'],
])('%s', (text, template) => {
  const found = keptSentence(text)
  expect(found?.template).toBe(template)
  expect(inEnglish(found ?? sentence(''))).toBe(text)
})

test.each([
  'The address answered in Latin.',
  'Only some of 9 bytes arrived.',
  'The address answered 500',
  '',
])('what somebody else wrote is left as it is: %s', (text) => {
  expect(keptSentence(text)).toBeUndefined()
})

test('a status of SMPP is its meaning and its code, also inside another text', () => {
  expect(keptSentence('Invalid password (0x0E)')).toEqual({
    template: '{meaning} ({code})',
    values: { meaning: { text: 'Invalid password' }, code: '0x0E' },
  })
  const tried = keptText('{refusal}; tried {count} times', { refusal: 'Message queue full (0x14)', count: 3 })
  expect(keptSentence(tried)?.values['refusal']).toEqual({ text: 'Message queue full (0x14)' })
  expect(keptSentence('Refused with 0x66: Message rejected by the application (0x66)')?.values).toEqual({
    commandStatus: '0x66',
    refusal: { text: 'Message rejected by the application (0x66)' },
  })
})
