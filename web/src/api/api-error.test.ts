import { sentence } from '@tollgate/contract/sentences.ts'
import { afterEach, expect, test } from 'vitest'
import { setReaderFormats } from '../language/reader.ts'
import { setCatalogue } from '../language/t.ts'
import { ApiError } from './api-error.ts'
import '../format/dates.ts'

afterEach(() => {
  setCatalogue({})
  setReaderFormats()
})

test('a refusal and the faults of its fields are read in the language of the reader, where they have a translation', () => {
  setCatalogue({ 'There is no such user.': 'אין משתמש כזה.', 'Unknown user': 'משתמש לא מוכר' })
  const body = {
    code: 'invalid',
    message: 'There is no such user.',
    fields: { userId: 'Unknown user', name: 'At most 7 letters' },
  }
  const error = new ApiError(400, 'Bad Request', JSON.stringify(body))
  expect(error.reason).toBe('אין משתמש כזה.')
  expect(error.fields).toEqual({ userId: 'משתמש לא מוכר', name: 'At most 7 letters' })
  // Programs and logs read the body as it came.
  expect(error.message).toContain('There is no such user.')
})

test('a refusal with values is read with them as the reader writes them', () => {
  setCatalogue({
    '{count} are waiting.': 'ממתינים: {count}.',
    'Look again.': 'כדאי לבדוק שוב.',
    'From {at} on': 'החל מ-{at}',
  })
  setReaderFormats({ timeZone: 'Asia/Jerusalem', numberFormat: 'point' })
  const body = {
    code: 'invalid',
    message: '1,200 wait. Look again.',
    words: [sentence('{count} are waiting.', { count: 1_200 }), sentence('Look again.')],
    fields: { from: 'From 2026-11-20 12:30 UTC on', to: 'Look again.' },
    fieldWords: { from: [sentence('From {at} on', { at: { at: '2026-11-20T12:30:00.000Z' } })] },
  }
  const error = new ApiError(400, 'Bad Request', JSON.stringify(body))
  expect(error.reason).toBe('ממתינים: 1.200. כדאי לבדוק שוב.')
  expect(error.fields).toEqual({ from: 'החל מ-20/11/2026 | 14:30 Fri', to: 'כדאי לבדוק שוב.' })
})
