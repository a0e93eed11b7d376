import { withinNetworks } from '../../platform/networks.ts'

/**
 * Whether an account with these CIDRs may bind from an address; no CIDR allows all. An entry that cannot be read
 * allows nobody by itself: a typing error must not open the door.
 */
export function isAllowedAddress(cidrs: readonly string[], address: string): boolean {
  return cidrs.length === 0 || withinNetworks(cidrs)(address)
}
