// What the parts of this slice share.
import type { Audit } from '../audit/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Signer } from '../platform/security/signing.ts'
import type { TableReader } from '../platform/tables/table-reader.ts'
import type { Actor } from '../platform/http/handlers.ts'
import type { Setting, Settings } from '../users/index.ts'

export interface BillingDeps {
  readonly db: Db
  /** What heavy calls work on; `db` unless given. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly ledger: Pick<Ledger, 'closeDueCycle' | 'holdOpenCycle' | 'post' | 'postRows'>
  readonly settings: Settings
  /** Wallets that support pays from. */
  readonly treasuryAddresses: Setting<string[]>
  readonly egress: Pick<Egress, 'call'>
  /** Takes batches of payments apart. */
  readonly tables: TableReader
  /** Signs statements. */
  readonly signer: Signer
  /** The node that transfers are looked up at; undefined: payments stay unverified. */
  readonly tron: TronSettings | undefined
  /** Undefined: no mail server, so nobody is written to. */
  readonly mail: Pick<Mail, 'enqueue'> | undefined
  /** Whether messages flood in just now; never unless given. */
  readonly isBusy?: (() => boolean) | undefined
  /** Where people reach the console, for links; undefined: texts name its pages only. */
  readonly consoleUrl: string | undefined
}

export interface TronSettings {
  readonly apiUrl: string
  readonly apiKey: string | undefined
  readonly usdtContract: string
}

export interface BillingSettings {
  readonly payableAfterDays: Setting<number>
  readonly addressWaitHours: Setting<number>
  /** In millionths of a USDT. */
  readonly secondPersonAboveMicro: Setting<bigint>
}

export type BillingParts = Omit<BillingDeps, 'settings'> & { readonly settings: BillingSettings }

/** Who does something, from where. */
export interface By {
  readonly actor: Actor
  readonly ip: string
}
