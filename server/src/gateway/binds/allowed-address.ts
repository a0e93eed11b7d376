import { BlockList, isIP } from 'node:net'

/**
 * Whether an account with these CIDRs may bind from an address; no CIDR allows all. An entry that cannot be read
 * allows nobody by itself: a typing error must not open the door.
 */
export function isAllowedAddress(cidrs: readonly string[], address: string): boolean {
  if (cidrs.length === 0) return true
  const version = isIP(address)
  if (version === 0) return false
  const family = version === 4 ? 'ipv4' : 'ipv6'
  return cidrs.some((cidr) => {
    const [base = '', prefix, rest] = cidr.trim().split('/')
    if (isIP(base) !== version || rest !== undefined) return false
    const longest = version === 4 ? 32 : 128
    const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
    if (bits < 0 || bits > longest) return false
    const list = new BlockList()
    list.addSubnet(base, bits, family)
    return list.check(address, family)
  })
}
