import { inEnglish, quote, sentence } from '@tollgate/contract/sentences.ts'
import { afterEach, expect, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { setCatalogue } from '../language/t.ts'
import { readHebrew } from '../testing/hebrew.ts'
import { formatSentence, formatSentences } from './sentences.ts'
import './dates.ts'

const at = '2026-11-20T12:30:00.000Z'
const late = sentence('{count} bills of {name} wait since {day}, {time}, {at}: {sum} USDT.', {
  count: 1_200,
  name: 'acme',
  day: { day: at },
  time: { time: at },
  at: { at },
  sum: { amount: '1234.50' },
})

afterEach(() => {
  setCatalogue({})
  setReaderFormats()
})

test('the ready English text has counts with commas and times in UTC', () => {
  expect(inEnglish(late, quote('HTTP 500 {name}'))).toBe(
    '1,200 bills of acme wait since 2026-11-20, 12:30 UTC, 2026-11-20 12:30 UTC: 1234.50 USDT. HTTP 500 {name}',
  )
})

test('a person reads figures and times in the own form and zone', () => {
  setReaderFormats({ timeZone: 'Asia/Jerusalem', numberFormat: 'point' })
  expect(formatSentence(late)).toBe(
    '1.200 bills of acme wait since 20/11/2026, 14:30, 20/11/2026 | 14:30 Fri: 1.234,50 USDT.',
  )
})

test('a day of a sentence is the same day west of Greenwich', () => {
  setReaderFormats({ timeZone: 'America/New_York', numberFormat: 'comma' })
  const missing = sentence('There is no rate for {day}.', { day: { day: '2026-11-20' } })
  expect(formatSentence(missing)).toBe('There is no rate for 20/11/2026.')
})

test('the template is translated, and so is a kept text that has a translation', () => {
  setCatalogue({ '{count} are waiting.': 'ממתינים: {count}.', 'No answer.': 'אין תשובה.' })
  const words = [sentence('{count} are waiting.', { count: 2 }), quote('No answer.'), quote('HTTP 500')]
  expect(formatSentences(words)).toBe('ממתינים: 2. אין תשובה. HTTP 500')
})

test('a country has its name in the language of the reader, and its dialling code from left to right', async () => {
  const words = sentence('The country is {country}, but the number belongs to {origin}', {
    country: { text: 'United Kingdom (+44)', country: 'GB', diallingCode: '+44' },
    origin: '+88213',
  })
  expect(formatSentence(words)).toBe(inEnglish(words))
  expect(inEnglish(words)).toBe('The country is United Kingdom (+44), but the number belongs to +88213')
  await readHebrew()
  expect(formatSentence(words)).toContain('בריטניה (\u2066+44\u2069)')
})
