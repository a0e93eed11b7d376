import { afterEach, expect, test } from 'vitest'
import { setCatalogue } from '../language/t.ts'
import { ApiError } from './api-error.ts'

afterEach(() => setCatalogue({}))

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
