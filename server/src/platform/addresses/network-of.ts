import { isIPv6 } from 'node:net'

/** An IPv4 address that is written as IPv6 (::ffff:192.0.2.1) as what it is; any other text unchanged. */
export function plainAddress(address: string): string {
  const [, plain] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  return plain ?? address
}

/**
 * What counts as one caller where addresses are counted: an IPv4 address, and the /64 of an IPv6 one, since an IPv6 caller
 * owns at least that much; or, with 48 bits, all that a provider gives to one customer.
 */
export function networkOf(address: string, ipv6Bits: 48 | 64 = 64): string {
  const plain = plainAddress(address)
  if (!isIPv6(plain)) return plain
  const [head = '', tail] = plain.split('::')
  const groups = head === '' ? [] : head.split(':')
  const missing = tail === undefined ? 0 : 8 - groups.length - (tail === '' ? 0 : tail.split(':').length)
  const all = [...groups, ...Array<string>(Math.max(0, missing)).fill('0'), ...(tail ?? '').split(':')]
  return `${all
    .slice(0, ipv6Bits / 16)
    .join(':')
    .toLowerCase()}::/${ipv6Bits}`
}

/** Whether a host's name or address is this machine's own, which nobody else reaches. */
export function isLoopback(host: string): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/i.test(host)
}
