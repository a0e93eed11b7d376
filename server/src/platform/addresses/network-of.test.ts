import { expect, test } from 'vitest'
import { networkOf, plainAddress } from './network-of.ts'

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:0201', '192.0.2.1'],
  ['::127.0.0.1', '127.0.0.1'],
  ['::1', '::1'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['no address', 'no address'],
])('%s is written as %s', (address, plain) => {
  expect(plainAddress(address)).toBe(plain)
})

test('an IPv6 caller counts by its network, however its address is written', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(networkOf('2001:0DB8:0001:0002::6')).toBe('2001:db8:1:2::/64')
  expect(networkOf('2001:db8:1:2::6', 48)).toBe('2001:db8:1::/48')
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
})
