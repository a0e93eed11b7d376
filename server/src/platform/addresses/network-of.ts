import { isIP, isIPv6 } from 'node:net'

/**
 * An address in its shortest form; an IPv4 address that is written as IPv6 (::ffff:192.0.2.1, ::ffff:c000:201) as what it
 * is. Any other text is returned unchanged.
 */
export function plainAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const canonical = new URL(`http://[${address.split('%')[0]}]`).hostname.slice(1, -1)
  const [, high, low] = /^::(?:ffff:)?([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(canonical) ?? []
  if (high === undefined || low === undefined) return canonical
  const bytes = [parseInt(high, 16), parseInt(low, 16)].flatMap((pair) => [pair >> 8, pair & 255])
  return bytes.join('.')
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
