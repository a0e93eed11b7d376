import { expect, test } from 'vitest'
import { errorBodySchema, Refusal } from './errors.ts'
import { quote, sentence } from './sentences.ts'

test('a refusal without values is its English text', () => {
  const { message, words, fields, fieldWords } = new Refusal('invalid', 'No such user.', {
    fields: { userId: 'Unknown user' },
  })
  expect({ message, words, fields, fieldWords }).toEqual({
    message: 'No such user.',
    words: undefined,
    fields: { userId: 'Unknown user' },
    fieldWords: undefined,
  })
})

test('a refusal with values keeps its sentences beside the English text', () => {
  const tooMany = sentence('At most {count} characters', { count: 1_200 })
  const refusal = new Refusal('invalid', [quote('name:'), tooMany], {
    fields: { name: tooMany, userId: 'Unknown user' },
    retryAfterSeconds: 3,
  })
  expect(refusal).toMatchObject({
    status: 400,
    message: 'name: At most 1,200 characters',
    words: [quote('name:'), tooMany],
    fields: { name: 'At most 1,200 characters', userId: 'Unknown user' },
    fieldWords: { name: [tooMany] },
    retryAfterSeconds: 3,
  })
  const { code, message, words, fields, fieldWords } = refusal
  expect(errorBodySchema.parse({ code, message, words, fields, fieldWords })).toEqual({
    code,
    message,
    words,
    fields,
    fieldWords,
  })
})

test('one sentence is a refusal of its own', () => {
  const { message, words, fields } = new Refusal('taken', sentence('{name} is taken.', { name: 'acme' }))
  expect([message, words?.length, fields]).toEqual(['acme is taken.', 1, undefined])
})
