import { expect, test } from 'vitest'
import { hashOfRecoveryCode, newRecoveryCodes, readRecoveryCode } from './recovery-codes.ts'

test('ten codes are made, each of 16 letters in groups of four', () => {
  const codes = newRecoveryCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[0-9a-hjkmnp-tv-z]{4}(-[0-9a-hjkmnp-tv-z]{4}){3}$/)
})

test('a code is read as people type it', () => {
  expect(readRecoveryCode('0123-4567-89AB CDEF')).toBe('0123456789abcdef')
  expect(readRecoveryCode('OI23-4567-89ab-cdeF')).toBe('0123456789abcdef')
  for (const none of ['', '123456', '0123-4567-89ab-cde', '0123-4567-89ab-cdeu', '0123-4567-89ab-cdef-0'])
    expect(readRecoveryCode(none)).toBeUndefined()
})

test('the stored hash is that of one account', () => {
  const [code = ''] = newRecoveryCodes()
  expect(hashOfRecoveryCode(1, code).equals(hashOfRecoveryCode(1, code.toUpperCase()))).toBe(true)
  expect(hashOfRecoveryCode(1, code).equals(hashOfRecoveryCode(2, code))).toBe(false)
})
