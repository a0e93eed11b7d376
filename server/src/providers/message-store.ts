// SQL of the rows that became records, and of dead letters.
import { sql } from 'kysely'
import type { DeadLetterReason } from '@tollgate/contract/providers/providers.ts'
import { changed, prepared, row, rows, type Db } from '../platform/db.ts'

export interface KnownMessage {
  readonly key: string
  readonly recordId: string
  readonly createdAt: Date
  readonly noReport: number
}

/** Those of these rows that are records already. */
export async function knownMessages(
  tx: Db,
  providerId: number,
  keys: readonly string[],
): Promise<Map<string, KnownMessage>> {
  // Planned each time: a cached plan from when the table was small would scan all of it for ever.
  const found = await rows<KnownMessage>(
    tx,
    sql`select encode(uuid_send(key), 'hex') as key, record_id as "recordId", record_created_at as "createdAt",
          no_report as "noReport"
        from provider_messages where provider_id = ${providerId} and key = any(${[...keys]}::uuid[])`,
  )
  return new Map(found.map((each) => [each.key, each]))
}

/** Keys from the first to the last of some equal rows. */
export interface KeyRange {
  readonly low: string
  readonly high: string
}

/** At most `count` keys of each range, the lowest first; each names the range that it was found in. */
const within = (
  table: 'provider_messages' | 'provider_dead_letters',
  providerId: number,
  ranges: readonly (KeyRange & { readonly count: number })[],
) => sql`
  unnest(${ranges.map(({ low }) => low)}::uuid[], ${ranges.map(({ high }) => high)}::uuid[],
      ${ranges.map(({ count }) => count)}::int[]) as wanted (low, high, count),
    lateral (
      select * from ${sql.raw(table)} where provider_id = ${providerId} and key between wanted.low and wanted.high
      order by key limit wanted.count
    ) found`

/** Rows that became records under one of these keys. */
export async function messagesBetween(
  tx: Db,
  providerId: number,
  ranges: readonly (KeyRange & { readonly count: number })[],
): Promise<(KnownMessage & { readonly low: string })[]> {
  if (ranges.length === 0) return []
  return rows(
    tx,
    sql`select encode(uuid_send(wanted.low), 'hex') as low, encode(uuid_send(found.key), 'hex') as key,
          found.record_id as "recordId", found.record_created_at as "createdAt", found.no_report as "noReport"
        from ${within('provider_messages', providerId, ranges)} order by found.key`,
  )
}

/** Dead letters under one of these keys, waiting or dismissed. */
export async function deadLettersBetween(
  tx: Db,
  providerId: number,
  ranges: readonly (KeyRange & { readonly count: number })[],
): Promise<(KnownDeadLetter & { readonly low: string })[]> {
  if (ranges.length === 0) return []
  return rows(
    tx,
    sql`select encode(uuid_send(wanted.low), 'hex') as low, encode(uuid_send(found.key), 'hex') as key, found.reason,
          found.dismissed_at is not null as "isDismissed"
        from ${within('provider_dead_letters', providerId, ranges)} order by found.key`,
  )
}

interface Move {
  readonly to: string
  readonly found: { readonly key: string }
}

/** Gives rows that are records other keys. */
export async function moveMessages(tx: Db, providerId: number, moves: readonly Move[]): Promise<void> {
  if (moves.length === 0) return
  await sql`
    update provider_messages m set key = c.after
    from unnest(${moves.map(({ found }) => found.key)}::uuid[], ${moves.map(({ to }) => to)}::uuid[]) as c (before, after)
    where m.provider_id = ${providerId} and m.key = c.before`.execute(tx)
}

/** Gives dead letters other keys; a waiting one comes encrypted anew, since its key is what its row is encrypted for. */
export async function moveDeadLetters(
  tx: Db,
  providerId: number,
  moves: readonly (Move & { readonly encryptedRow?: Buffer })[],
): Promise<void> {
  if (moves.length === 0) return
  await sql`
    update provider_dead_letters d set key = c.after, encrypted_row = c.encrypted_row
    from unnest(${moves.map(({ found }) => found.key)}::uuid[], ${moves.map(({ to }) => to)}::uuid[],
      ${moves.map(({ encryptedRow }) => encryptedRow ?? null)}::bytea[]) as c (before, after, encrypted_row)
    where d.provider_id = ${providerId} and d.key = c.before`.execute(tx)
}

/** Whether rows of this provider became records or dead letters. */
export async function hasRows(tx: Db, providerId: number): Promise<boolean> {
  const found = await row(
    tx,
    sql`select where exists (select from provider_messages where provider_id = ${providerId})
          or exists (select from provider_dead_letters where provider_id = ${providerId})`,
  )
  return found !== undefined
}

/** How many of a provider's rows are records, and what they earned, of at most `max` of them. */
export async function recordsOf(
  tx: Db,
  providerId: number,
  max: number,
): Promise<{ readonly count: number; readonly amountMicro: bigint }> {
  const found = await row<{ count: number; amountMicro: string }>(
    tx,
    sql`select count(*)::int as count, coalesce(sum(r.amount_micro), 0)::text as "amountMicro"
        from (
          select record_id, record_created_at from provider_messages where provider_id = ${providerId} limit ${max}
        ) m left join records r on r.created_at = m.record_created_at and r.id = m.record_id`,
  )
  return { count: found?.count ?? 0, amountMicro: BigInt(found?.amountMicro ?? 0) }
}

export interface NewMessage {
  readonly key: string
  readonly recordId: number
  readonly createdAtMs: number
  readonly noReport: number
}

/** Marks rows as records. Breaks the primary key when another transaction has done so meanwhile. */
export async function addMessages(tx: Db, providerId: number, added: readonly NewMessage[]): Promise<void> {
  if (added.length === 0) return
  await prepared(
    tx,
    'provider_add_messages',
    `insert into provider_messages (provider_id, key, record_id, record_created_at, no_report)
     select $1, key, record_id, to_timestamp(0) + created_at_ms * interval '1 ms', no_report
     from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::smallint[]) as
       added (key, record_id, created_at_ms, no_report)`,
    [
      providerId,
      added.map(({ key }) => key),
      added.map(({ recordId }) => recordId),
      added.map(({ createdAtMs }) => createdAtMs),
      added.map(({ noReport }) => noReport),
    ],
  )
}

export async function setReports(
  tx: Db,
  providerId: number,
  changes: readonly { readonly key: string; readonly noReport: number }[],
): Promise<void> {
  await sql`
    update provider_messages m set no_report = c.no_report
    from unnest(${changes.map(({ key }) => key)}::uuid[], ${changes.map(({ noReport }) => noReport)}::smallint[]) as
      c (key, no_report)
    where m.provider_id = ${providerId} and m.key = c.key`.execute(tx)
}

export interface KnownDeadLetter {
  readonly key: string
  readonly reason: DeadLetterReason
  readonly isDismissed: boolean
}

/** Those of these rows that are dead letters, waiting or dismissed. */
export async function knownDeadLetters(
  tx: Db,
  providerId: number,
  keys: readonly string[],
): Promise<Map<string, KnownDeadLetter>> {
  const found = await rows<KnownDeadLetter>(
    tx,
    sql`select encode(uuid_send(key), 'hex') as key, reason, dismissed_at is not null as "isDismissed"
        from provider_dead_letters where provider_id = ${providerId} and key = any(${[...keys]}::uuid[])`,
  )
  return new Map(found.map((each) => [each.key, each]))
}

export interface NewDeadLetter {
  readonly key: string
  readonly reason: DeadLetterReason
  readonly explanation: string
  readonly externalId: string
  readonly number: string
  readonly timestamp: string
  readonly encryptedRow: Buffer | null
}

/** Adds dead letters; one that is there already gets its new reason. */
export async function upsertDeadLetters(
  tx: Db,
  providerId: number,
  deadLetters: readonly NewDeadLetter[],
): Promise<void> {
  if (deadLetters.length === 0) return
  await sql`
    insert into provider_dead_letters as d (provider_id, key, reason, explanation, external_id, number, row_timestamp,
      encrypted_row)
    select ${providerId}, * from unnest(
      ${deadLetters.map(({ key }) => key)}::uuid[], ${deadLetters.map(({ reason }) => reason)}::text[],
      ${deadLetters.map(({ explanation }) => explanation)}::text[],
      ${deadLetters.map(({ externalId }) => externalId)}::text[], ${deadLetters.map(({ number }) => number)}::text[],
      ${deadLetters.map(({ timestamp }) => timestamp)}::text[], ${deadLetters.map(({ encryptedRow }) => encryptedRow)}::bytea[])
    on conflict (provider_id, key) do update set reason = excluded.reason, explanation = excluded.explanation,
      external_id = excluded.external_id, number = excluded.number, row_timestamp = excluded.row_timestamp,
      encrypted_row = excluded.encrypted_row, tries = d.tries + 1, last_tried_at = clock_timestamp()`.execute(
    tx,
  )
}

export async function deleteDeadLetters(tx: Db, providerId: number, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await sql`delete from provider_dead_letters
    where provider_id = ${providerId} and key = any(${[...keys]}::uuid[])`.execute(tx)
}

/** Whether at least so many dead letters wait. */
export async function hasDeadLetters(tx: Db, providerId: number, count: number): Promise<boolean> {
  const found = await row(
    tx,
    sql`select from provider_dead_letters where provider_id = ${providerId} and dismissed_at is null
        order by id offset ${count - 1} limit 1`,
  )
  return found !== undefined
}

export interface WaitingDeadLetter {
  readonly id: string
  readonly key: string
  readonly encryptedRow: Buffer | null
}

/** Waiting rows after `afterId`, the oldest first, locked until the transaction ends. */
export async function lockDeadLetters(
  tx: Db,
  providerId: number,
  { reason, afterId, limit }: { reason: DeadLetterReason | undefined; afterId: string; limit: number },
): Promise<WaitingDeadLetter[]> {
  return rows(
    tx,
    sql`
      select id, encode(uuid_send(key), 'hex') as key, encrypted_row as "encryptedRow" from provider_dead_letters
      where provider_id = ${providerId} and dismissed_at is null and id > ${afterId}::bigint
        and (${reason ?? null}::text is null or reason = ${reason ?? null})
      order by id limit ${limit} for update skip locked`,
  )
}

/** One waiting row, locked until the transaction ends. */
export async function lockDeadLetter(
  tx: Db,
  providerId: number,
  id: string,
): Promise<WaitingDeadLetter | undefined> {
  return row(
    tx,
    sql`
      select id, encode(uuid_send(key), 'hex') as key, encrypted_row as "encryptedRow" from provider_dead_letters
      where provider_id = ${providerId} and dismissed_at is null and id = ${id}::bigint for update`,
  )
}

/** Dismisses a row. Its content is deleted; its key stays, so that the row does not come again. */
export async function dismiss(tx: Db, providerId: number, id: string): Promise<boolean> {
  const count = await changed(
    tx,
    sql`update provider_dead_letters set dismissed_at = clock_timestamp(), encrypted_row = null
        where provider_id = ${providerId} and id = ${id}::bigint and dismissed_at is null`,
  )
  return count === 1
}
