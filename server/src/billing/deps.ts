// What the slice is built from, and what its functions work with.
import type { Overload } from '../platform/load/overload.ts'
import type { SwitchState } from '@tollgate/contract/vocabulary.ts'
import type { RawBuilder } from 'kysely'
import type { Audit } from '../audit/index.ts'
import type { Ledger } from '../ledger/index.ts'
import type { Mail } from '../mail/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Signer } from '../platform/security/signing.ts'
import type { TableReader } from '../files/tables/table-reader.ts'

import type { AccountSpan } from './rules.ts'
import type { Setting, Settings } from '../settings/index.ts'
import type { ClientTermsSlice } from '../terms/index.ts'
import type { TronSettings } from '../tron/index.ts'

export interface BillingOptions {
  readonly db: Db
  /** The connections that heavy calls use; `db` by default. */
  readonly heavyDb?: Db | undefined
  readonly clock: Clock
  /** Reads the two clocks that must agree for a close; by default those of this machine and of the database. */
  readonly readClocks?: ((db: Db) => Promise<Clocks>) | undefined
  readonly audit: Pick<Audit, 'record'>
  readonly ledger: Pick<Ledger, 'closeDueCycle' | 'countDue' | 'holdOpenCycle' | 'post' | 'postRows'>
  readonly settings: Settings
  /** When each client is paid, and what is kept of its earnings. */
  readonly terms: Pick<ClientTermsSlice, 'defaults' | 'payableAfterDays'>
  /** Wallets that support pays from. */
  readonly treasuryAddresses: Setting<string[]>
  readonly egress: Pick<Egress, 'call'>
  /** Reads uploaded batches of payments. */
  readonly tables: TableReader
  /** Signs statements. */
  readonly signer: Signer
  /** The TRON node that transfers are checked with; undefined: payments stay unverified. */
  readonly tron: TronSettings | undefined
  /** Undefined: no mail server, so no mail is sent. */
  readonly mail: Pick<Mail, 'enqueue'> | undefined
  /**
   * Tells clients' programs of events, in the transaction that causes them. `events` gives user_id, type, subject and data
   * (jsonb) of each. By default nobody is told.
   */
  readonly announce?: ((tx: Db, events: RawBuilder<unknown>) => Promise<void>) | undefined
  /** Whether traffic up to this time is judged and held, so that bills can be made of it. By default it always is. */
  readonly isJudged?: ((db: Db, until: Date) => Promise<boolean>) | undefined
  /** Called with the bills of a closed cycle, in the transaction that made them: withholds those above the client's terms. */
  readonly onBilled?: ((tx: Db, cycleId: number, span: AccountSpan) => Promise<void>) | undefined
  /** Makes background work wait for messages; without it nothing waits. */
  readonly overload?: Overload | undefined
  /** The console's address, for links in mails; undefined: mails name the console's pages without a link. */
  readonly consoleUrl: string | undefined
}

/** What time it is, by the clock of this machine and by the database's. */
export interface Clocks {
  readonly node: Date
  readonly database: Date
}

export interface BillingSettings {
  readonly closeBehindMax: Setting<number>
  readonly addressWaitHours: Setting<number>
  /** In millionths of a USDT. */
  readonly secondPersonAboveMicro: Setting<bigint>
  /** In millionths of a USDT. */
  readonly runMinimumMicro: Setting<bigint>
  readonly runBundling: Setting<SwitchState>
  readonly runNetting: Setting<SwitchState>
  readonly overdueAfterDays: Setting<number>
}

/** The options with this slice's own settings in place of all settings. The slices beside it work with the same. */
export type BillingDeps = Omit<BillingOptions, 'settings'> & { readonly settings: BillingSettings }
