import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressBytes, toAddress } from './tron-address.ts'

test('an address with one wrong character is not valid', () => {
  fc.assert(
    fc.property(
      fc.uint8Array({ minLength: 20, maxLength: 20 }),
      fc.nat(33),
      fc.nat(57),
      (bytes, index, letter) => {
        const hex = Buffer.from(bytes).toString('hex')
        const address = toAddress(hex)
        expect(addressBytes(address)).toBe(hex)
        const other = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'[letter] ?? ''
        const changed = address.slice(0, index) + other + address.slice(index + 1)
        if (changed !== address) expect(addressBytes(changed)).toBeUndefined()
      },
    ),
  )
})
