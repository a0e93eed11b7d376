import { expect, test } from 'vitest'
import { receiptOctets } from './receipt-octets.ts'

const ucs2 = (text: string) => Buffer.from(text, 'utf16le').swap16()

test('a receipt is shown, and what it quotes of a message is hidden', () => {
  const shown = Buffer.from('id:7 stat:DELIVRD err:000 Text:')
  expect(receiptOctets(Buffer.concat([shown, Buffer.from('secret')]))).toBe(
    `${shown.toString('hex')}${'··'.repeat(6)}`,
  )
  expect(receiptOctets(Buffer.concat([ucs2('id:7 text:'), ucs2('secret')]))).toBe(
    `${ucs2('id:7 text:').toString('hex')}${'··'.repeat(12)}`,
  )
  expect(receiptOctets(Buffer.from('id:7 stat:DELIVRD'))).toBe(
    Buffer.from('id:7 stat:DELIVRD').toString('hex'),
  )
})

test('what does not read as a receipt may be a message, so none of it is shown', () => {
  expect(receiptOctets(Buffer.from('see you at 8, text: me'))).toBe('··'.repeat(22))
  expect(receiptOctets(Buffer.alloc(0))).toBe('')
})

test('of a long one the first 255 octets are kept', () => {
  expect(receiptOctets(Buffer.from(`id:7 ${'x'.repeat(64_000)}`))).toHaveLength(510)
})
