// Settings of the API specification that slices above this one read.
import { z } from 'zod'
import { withoutInvisible } from '@tollgate/contract/plain-text.ts'
import { chooseOneOf } from '@tollgate/contract/schema-messages.ts'
import { spoken } from '@tollgate/contract/sentences.ts'
import { integrityModes, type IntegrityMode } from '@tollgate/contract/vocabulary.ts'
import type { Setting, Settings } from '../settings/index.ts'
import { addressBytes } from './tron-address.ts'

const treasuryAddressesSchema = z
  .string()
  .max(4000)
  .transform((text) =>
    withoutInvisible(text)
      .split(/[\s,]+/)
      .filter((address) => address !== ''),
  )
  .refine(
    (addresses) => addresses.every((address) => addressBytes(address) !== undefined),
    'Enter TRON addresses (T…), with commas between them',
  )
  .transform((addresses) => [...new Set(addresses)])

export interface SharedSettings {
  /** Wallets that support pays from. Empty: transfers from any address are accepted. */
  readonly treasuryAddresses: Setting<string[]>
  readonly integrityMode: Setting<IntegrityMode>
}

export function defineSharedSettings(settings: Settings): SharedSettings {
  return {
    treasuryAddresses: settings.define<string[]>({
      key: 'treasury_addresses',
      description: spoken('TRC20 addresses that payments to clients are made from, with commas between them'),
      fallback: [],
      schema: treasuryAddressesSchema,
      write: (addresses) => addresses.join(','),
      // Against an empty list nothing can be verified, so the first list loosens nothing.
      isAsStrict: (before, addresses) =>
        before.length === 0 ||
        (addresses.length > 0 && addresses.every((address) => before.includes(address))),
    }),
    integrityMode: settings.define<IntegrityMode>({
      key: 'integrity_mode',
      description: spoken(
        'Traffic checks: off, dry run (cases are listed, nothing is held) or enforce (their messages are held)',
      ),
      fallback: 'dry_run',
      schema: z.enum(integrityModes, chooseOneOf(integrityModes)),
      isAsStrict: (before, mode) => integrityModes.indexOf(mode) >= integrityModes.indexOf(before),
    }),
  }
}
