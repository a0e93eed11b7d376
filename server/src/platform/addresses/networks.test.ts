import { expect, test } from 'vitest'
import { isNetwork, withinNetworks } from './networks.ts'

test.each(['10.0.0.0/8', '0.0.0.0/0', '192.0.2.7', '192.0.2.7/32', '2001:db8::/32', '::/0', '::1'])(
  '%s is a network',
  (text) => expect(isNetwork(text)).toBe(true),
)

test.each([
  '',
  '/',
  '10.0.0/8',
  '10.0.0.0/33',
  '10.0.0.0/',
  '10.0.0.0/8/8',
  '10.0.0.0/-1',
  '::/129',
  'fe80::1%eth0',
  'x',
])('“%s” is none, and holds nobody', (text) => {
  expect(isNetwork(text)).toBe(false)
  for (const address of ['10.0.0.1', '::1', 'fe80::1']) expect(withinNetworks([text])(address)).toBe(false)
})

test('an address lies in the networks that hold it, each family for itself', () => {
  const isIn = withinNetworks(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32', 'unreadable'])
  for (const address of ['10.255.255.255', '192.0.2.7', '2001:db8:ffff::1', '2001:DB8::'])
    expect(isIn(address), address).toBe(true)
  for (const address of ['11.0.0.0', '192.0.2.8', '2001:db9::', '::1', '', 'example.com'])
    expect(isIn(address), address).toBe(false)
  expect(withinNetworks([])('10.0.0.1')).toBe(false)
})
