// Networks as operators write them: CIDRs such as 10.0.0.0/8 and 2001:db8::/32, and single addresses.
import { BlockList, isIP } from 'node:net'

interface Network {
  readonly address: string
  readonly bits: number
  readonly family: 'ipv4' | 'ipv6'
}

function parseNetwork(text: string): Network | undefined {
  const [address = '', prefix, rest] = text.trim().split('/')
  const version = isIP(address)
  if (version === 0 || address.includes('%') || rest !== undefined) return undefined
  const longest = version === 4 ? 32 : 128
  const bits = prefix === undefined ? longest : /^\d{1,3}$/.test(prefix) ? Number(prefix) : -1
  if (bits < 0 || bits > longest) return undefined
  return { address, bits, family: version === 4 ? 'ipv4' : 'ipv6' }
}

/** Whether this is one network or address. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== undefined
}

/**
 * Returns a function that says whether an address lies in one of these networks. An entry that is no network contains
 * no address.
 */
export function withinNetworks(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList()
  for (const text of networks) {
    const network = parseNetwork(text)
    if (network !== undefined) list.addSubnet(network.address, network.bits, network.family)
  }
  return (address) => {
    const version = isIP(address)
    return version !== 0 && list.check(address, version === 4 ? 'ipv4' : 'ipv6')
  }
}
