import fc from 'fast-check'
import { expect, test } from 'vitest'
import { messageIdKey } from './message-id.ts'

test('a hexadecimal answer and a decimal receipt have the same key', () => {
  expect(messageIdKey('1A2B3C4D', 'hex')).toBe(messageIdKey('439041101', 'decimal'))
  expect(messageIdKey('0x1a2b3c4d', 'hex')).toBe(messageIdKey('0439041101', 'decimal'))
})

test('every number of 64 hexadecimal digits matches itself in decimal, whatever its case and zeros', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), (number) => {
      const hex = number.toString(16)
      const key = number.toString()
      expect(messageIdKey(hex.toUpperCase(), 'hex')).toBe(key)
      expect(messageIdKey(hex.padStart(64, '0'), 'hex')).toBe(key)
      if (key.length <= 66) expect(messageIdKey(key, 'decimal')).toBe(key)
    }),
  )
})

test('as text, ids match only when equal after trimming', () => {
  expect(messageIdKey(' 007 ', 'text')).toBe('007')
  expect(messageIdKey('007', 'text')).not.toBe(messageIdKey('7', 'text'))
  expect(messageIdKey('aB', 'text')).toBe('aB')
})

test('an id that is no number in its form is not changed', () => {
  expect(messageIdKey('3f2a-77', 'hex')).toBe('3f2a-77')
  expect(messageIdKey('1A', 'decimal')).toBe('1A')
  expect(messageIdKey('', 'hex')).toBe('')
  expect(messageIdKey('0x', 'hex')).toBe('0x')
  expect(messageIdKey('-5', 'decimal')).toBe('-5')
  expect(messageIdKey('9'.repeat(5000), 'hex')).toHaveLength(5000)
})
