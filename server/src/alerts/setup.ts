// What production needs beside traffic: read from what this gateway was started with, and from its tables.
import { sql } from 'kysely'
import type { Setup } from '@tollgate/contract/alerts/alerts.ts'
import { isLoopback } from '../platform/addresses/network-of.ts'
import { row, type Db } from '../platform/db.ts'

/** What the start decides. */
export interface SetupState extends Pick<Setup, 'hasChainNode' | 'hasSmppTls' | 'backupCommand'> {
  /** What peers are told to bind to. */
  readonly smppHost: () => Promise<string>
  /** When the embedded database was last copied; undefined where it is not embedded. */
  readonly lastBackupAt: () => Promise<Date | null | undefined>
}

export async function readSetup(
  db: Db,
  { lastBackupAt, smppHost, ...state }: SetupState,
  hasMail: boolean,
): Promise<Setup> {
  const counts = await row<{ admins: number; rules: number; newcomer_days: number }>(
    db,
    sql`select (select count(*)::int from users where role = 'admin' and status = 'active') as admins,
          (select count(*)::int from alert_rules where is_on) as rules,
          (select coalesce(max(value::int), 0) from settings
            where key in ('payable_after_days', 'newcomer_payable_after_days')) as newcomer_days`,
  )
  const [copied, host] = await Promise.all([lastBackupAt(), smppHost()])
  return {
    ...state,
    smppHost: host,
    isSmppPublic: !isLoopback(host) && host !== '0.0.0.0' && host !== '::',
    hasMail,
    adminCount: counts?.admins ?? 0,
    ruleCount: counts?.rules ?? 0,
    newcomerDays: counts?.newcomer_days ?? 0,
    ...(copied !== undefined && { lastBackupAt: copied?.toISOString() ?? null }),
  }
}
