// Addresses that nobody is paid to, because the money would be lost or would come back to us.
import type { Db } from '../../platform/db.ts'
import { addressBytes } from '../../rates/index.ts'
import type { BillingDeps } from '../deps.ts'
import { explorers } from '../../tron/index.ts'

const zeroAccount = '0'.repeat(40)

/**
 * Why nobody may be paid to the address, for the person who entered it; undefined when somebody may. It asks no node: see
 * `isBlacklisted` and `isTokenContract` for what only the chain knows. `text` is as it was typed.
 */
export async function refusedAddress(
  { treasuryAddresses, tron }: Pick<BillingDeps, 'treasuryAddresses' | 'tron'>,
  db: Db,
  text: string,
): Promise<string | undefined> {
  const account = addressBytes(text)
  if (account === undefined) return 'This is no TRC20 address. Copy it again from the wallet.'
  if (account === zeroAccount) return 'Nobody has the key of this address: what is sent there is lost.'
  const contracts = [...Object.keys(explorers), ...(tron === undefined ? [] : [tron.usdtContract])]
  if (contracts.some((contract) => addressBytes(contract) === account))
    return "This is the contract of USDT itself, not a wallet: what is sent there is lost. Copy the wallet's own address."
  const treasury = await treasuryAddresses.get(db)
  if (treasury.some((wallet) => addressBytes(wallet) === account))
    return "This is one of this gateway's own wallets. Enter the address of the client's wallet."
  return undefined
}
