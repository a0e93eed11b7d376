import { withinNetworks } from '../../platform/addresses/networks.ts'

/**
 * Whether an account with these CIDRs may bind from an address. An empty list allows every address. An entry that
 * cannot be parsed matches no address, so that a typing error admits nobody.
 */
export function isAllowedAddress(cidrs: readonly string[], address: string): boolean {
  return cidrs.length === 0 || withinNetworks(cidrs)(address)
}
