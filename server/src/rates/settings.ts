// Settings of the outside contract whose readers stand above this slice.
import { sha256 } from '@noble/hashes/sha2.js'
import { createBase58check } from '@scure/base'
import { z } from 'zod'
import { integrityModes, type IntegrityMode } from '@tollgate/contract/vocabulary.ts'
import type { Setting, Settings } from '../users/index.ts'

const base58check = createBase58check(sha256)

/** tron.md: Base58Check over 21 bytes of which the first is 0x41. */
function isTronAddress(text: string): boolean {
  try {
    const bytes = base58check.decode(text)
    return bytes.length === 21 && bytes[0] === 0x41
  } catch {
    // A wrong character or checksum: a mistyped address would lose money, so it is none.
    return false
  }
}

const treasuryAddressesSchema = z
  .string()
  .max(4000)
  .transform((text) => text.split(/[\s,]+/).filter((address) => address !== ''))
  .refine(
    (addresses) => addresses.every(isTronAddress),
    'Enter TRON addresses (T…), with commas between them',
  )
  .transform((addresses) => [...new Set(addresses)])

export interface SharedSettings {
  /** Wallets that support pays from. Empty: payments from any address are taken. */
  readonly treasuryAddresses: Setting<string[]>
  readonly integrityMode: Setting<IntegrityMode>
}

export function defineSharedSettings(settings: Settings): SharedSettings {
  return {
    treasuryAddresses: settings.define<string[]>({
      key: 'treasury_addresses',
      description: 'TRC20 addresses that payments to clients are made from, with commas between them',
      fallback: [],
      schema: treasuryAddressesSchema,
      write: (addresses) => addresses.join(','),
    }),
    integrityMode: settings.define<IntegrityMode>({
      key: 'integrity_mode',
      description: 'Traffic checks: off, dry_run (only reported) or enforce (doubtful money is held)',
      fallback: 'dry_run',
      schema: z.enum(integrityModes, `Choose one of: ${integrityModes.join(', ')}`),
    }),
  }
}
