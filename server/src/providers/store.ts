// SQL of providers as people entered them.
import { sql } from 'kysely'
import type { Mapping } from '@tollgate/contract/providers/providers.ts'
import type { ProviderAuthType } from '@tollgate/contract/vocabulary.ts'
import { onlyRow, row, rows, type Db } from '../platform/db.ts'
import type { EarlierReading } from './mapping.ts'
import { createReplayLimit } from '../platform/load/replay-limit.ts'

/** A provider as it was entered, without its credentials. */
export interface ProviderFields {
  readonly name: string
  readonly apiUrl: string
  readonly authType: ProviderAuthType
  readonly username: string
  readonly pollIntervalMs: number
  readonly lookbackMs: number
  readonly gapAlarmMs: number
  readonly startAt: Date | null
  readonly timeZone: string
  readonly mapping: Mapping
  readonly isEnabled: boolean
}

export interface ProviderRow extends ProviderFields {
  readonly id: number
  readonly slug: string | null
  readonly encryptedSecret: Buffer | null
  readonly startCount: number
  readonly earlierReadings: readonly EarlierReading[]
  readonly version: number
}

// A bigint comes as text; these are small enough for a double.
const columns = sql.raw(`p.id, p.slug, p.name, p.api_url as "apiUrl", p.auth_type as "authType", p.username,
  p.encrypted_secret as "encryptedSecret", p.poll_interval_ms as "pollIntervalMs", p.lookback_ms::float8 as "lookbackMs",
  p.gap_alarm_ms::float8 as "gapAlarmMs", p.start_at as "startAt", p.time_zone as "timeZone", p.mapping,
  p.earlier_readings as "earlierReadings", p.is_enabled as "isEnabled",
  p.start_count as "startCount", p.version`)

/** Adds a provider without its secret, whose encryption needs the id. */
export async function insertProvider(tx: Db, slug: string | null, fields: ProviderFields): Promise<number> {
  const added = await onlyRow<{ id: number }>(
    tx,
    sql`
      insert into providers (slug, name, api_url, auth_type, username, poll_interval_ms, lookback_ms, gap_alarm_ms,
        start_at, time_zone, mapping, is_enabled, enabled_at)
      values (${slug}, ${fields.name}, ${fields.apiUrl}, ${fields.authType}, ${fields.username},
        ${fields.pollIntervalMs}, ${fields.lookbackMs}, ${fields.gapAlarmMs}, ${fields.startAt},
        ${fields.timeZone}, ${JSON.stringify(fields.mapping)}::jsonb, ${fields.isEnabled},
        ${fields.isEnabled ? sql`clock_timestamp()` : null})
      returning id`,
  )
  return added.id
}

/** Saves a provider; a deleted one is restored. */
export async function updateProvider(tx: Db, id: number, fields: ProviderFields): Promise<void> {
  await sql`
    update providers set name = ${fields.name}, api_url = ${fields.apiUrl}, auth_type = ${fields.authType},
      username = ${fields.username}, poll_interval_ms = ${fields.pollIntervalMs}, lookback_ms = ${fields.lookbackMs},
      gap_alarm_ms = ${fields.gapAlarmMs}, start_at = ${fields.startAt},
      time_zone = ${fields.timeZone}, mapping = ${JSON.stringify(fields.mapping)}::jsonb, is_enabled = ${fields.isEnabled},
      switched_at = case when is_enabled = ${fields.isEnabled} and deleted_at is null then switched_at else clock_timestamp() end,
      enabled_at = case when ${fields.isEnabled} then clock_timestamp() end,
      version = version + 1, updated_at = clock_timestamp(), deleted_at = null
    where id = ${id}`.execute(tx)
}

export async function setSecret(tx: Db, id: number, encrypted: Buffer | null): Promise<void> {
  await tx.updateTable('providers').set({ encrypted_secret: encrypted }).where('id', '=', id).execute()
}

/** Keeps the mappings under which rows became records. */
export async function setEarlierReadings(
  tx: Db,
  id: number,
  readings: readonly EarlierReading[],
): Promise<void> {
  await tx
    .updateTable('providers')
    .set({ earlier_readings: JSON.stringify(readings) })
    .where('id', '=', id)
    .execute()
}

/** Enables or disables polling. Enabling one that is enabled makes it poll now. */
export async function setEnabled(tx: Db, id: number, isEnabled: boolean): Promise<void> {
  await sql`
    update providers set is_enabled = ${isEnabled}, start_count = start_count + ${isEnabled ? 1 : 0},
      switched_at = case when is_enabled = ${isEnabled} then switched_at else clock_timestamp() end,
      enabled_at = case when ${isEnabled} then clock_timestamp() end
    where id = ${id}`.execute(tx)
}

/** Marks a provider as deleted. Its rows and its name stay known; its credentials and counts are deleted. */
export async function markDeleted(tx: Db, id: number): Promise<void> {
  await sql`
    update providers set deleted_at = clock_timestamp(), is_enabled = false, encrypted_secret = null, slug = null,
      version = version + 1
    where id = ${id}`.execute(tx)
  await tx.deleteFrom('provider_progress').where('provider_id', '=', id).execute()
}

/** A provider, locked until the transaction ends. */
export async function lockProvider(tx: Db, id: number): Promise<ProviderRow | undefined> {
  return row(tx, sql`select ${columns} from providers p where p.id = ${id} and deleted_at is null for update`)
}

/** Limits replays of all that failed. */
export const replayLimit = createReplayLimit('providers')

/** A deleted provider, to be restored; locked. */
export async function lockDeleted(
  tx: Db,
  { id, name }: { id?: number; name?: string },
): Promise<ProviderRow | undefined> {
  return row(
    tx,
    sql`select ${columns} from providers p
        where (p.id = ${id ?? null} or lower(p.name) = lower(${name ?? null})) and deleted_at is not null for update`,
  )
}

/** Takes the name from a deleted provider, so that another one may have it. */
export async function freeName(tx: Db, id: number): Promise<void> {
  await tx
    .updateTable('providers')
    .set({ name: sql<string>`name || ' #' || id` })
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .execute()
}

/** All providers but one, also deleted ones, those deleted last first; locked until the transaction ends. */
export async function lockOthers(
  tx: Db,
  ownId: number,
): Promise<{ id: number; name: string; apiUrl: string; isDeleted: boolean }[]> {
  return rows(
    tx,
    sql`select id, name, api_url as "apiUrl", deleted_at is not null as "isDeleted" from providers
        where id <> ${ownId} order by deleted_at desc nulls first, id desc for share`,
  )
}

export async function setSlug(tx: Db, id: number, slug: string): Promise<void> {
  await tx.updateTable('providers').set({ slug }).where('id', '=', id).execute()
}

export async function findProvider(db: Db, id: number): Promise<ProviderRow | undefined> {
  return row(db, sql`select ${columns} from providers p where p.id = ${id} and deleted_at is null`)
}

/** The database id of a provider that the API names by a word. */
export async function findIdBySlug(db: Db, slug: string): Promise<number | undefined> {
  return (
    await row<{ id: number }>(db, sql`select id from providers where slug = ${slug} and deleted_at is null`)
  )?.id
}

/** Whether the provider still has this version; locks it against changes until the transaction ends. */
export async function lockVersion(tx: Db, id: number, version: number): Promise<boolean> {
  const found = await tx
    .selectFrom('providers')
    .select('id')
    .where('id', '=', id)
    .where('version', '=', version)
    .where('deleted_at', 'is', null)
    .forShare()
    .executeTakeFirst()
  return found !== undefined
}

/** What {@link Pollers} reads of a provider each second. */
export interface EnabledProviderRow {
  readonly id: number
  readonly version: number
  readonly startCount: number
  /** Whether some node polls it now. */
  readonly isHeld: boolean
}

/** All enabled providers. */
export async function enabledProviders(db: Db): Promise<EnabledProviderRow[]> {
  return rows(
    db,
    sql`
      select p.id, p.version, p.start_count as "startCount", l.name is not null as "isHeld"
      from providers p left join leases l
        on l.name = 'provider:' || p.id and l.owner is not null and l.expires_at > clock_timestamp()
      where p.deleted_at is null and p.is_enabled order by p.id`,
  )
}
