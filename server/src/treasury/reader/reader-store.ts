// SQL on how far the treasury is read: the list of each wallet, and the transactions that wait for their receipt.
import { sql } from 'kysely'
import { row, type Db, type Row } from '../../platform/db.ts'

/** Begins to read wallets that were never read. */
export async function addReadings(
  db: Db,
  network: string,
  addresses: readonly string[],
  { from, now }: { readonly from: Date; readonly now: Date },
): Promise<void> {
  await sql`insert into treasury_readings (network, address, reads_from, read_to, next_read_at)
    select ${network}, address, ${from}::timestamptz, ${from}::timestamptz, ${now}::timestamptz
    from unnest(${[...addresses]}::text[]) address on conflict do nothing`.execute(db)
}

const readings = (db: Db, network: string, addresses: readonly string[]) =>
  db
    .selectFrom('treasury_readings')
    .selectAll()
    .where('network', '=', network)
    .where('address', '=', sql<string>`any(${[...addresses]}::text[])`)

/** A wallet of ours, and how far its list is read. */
export type WalletReading = Row<'treasury_readings'>

/** The wallets whose list is to be read now, the one that waits longest first. */
export function dueReadings(
  db: Db,
  network: string,
  addresses: readonly string[],
  now: Date,
): Promise<WalletReading[]> {
  const due = readings(db, network, addresses).where('next_read_at', '<=', now)
  return due.orderBy('next_read_at').orderBy('address').execute()
}

export function listReadings(
  db: Db,
  network: string,
  addresses: readonly string[],
): Promise<WalletReading[]> {
  return readings(db, network, addresses).orderBy('address').execute()
}

export interface ReadProgress {
  readonly readTo: Date
  readonly resumesAt: Date | null
  readonly now: Date
  readonly nextReadAt: Date
}

/** Saves how far a wallet's list was read. To be called in the transaction that notes what was read. */
export async function saveListProgress(
  tx: Db,
  network: string,
  address: string,
  { readTo, resumesAt, now, nextReadAt }: ReadProgress,
): Promise<void> {
  await sql`update treasury_readings
    set read_to = greatest(read_to, ${readTo}::timestamptz), resumes_at = ${resumesAt}::timestamptz,
      read_at = case when ${resumesAt}::timestamptz is null then ${now}::timestamptz else read_at end,
      next_read_at = ${nextReadAt}, fault = '', fault_count = 0, failing_since = null
    where network = ${network} and address = ${address}`.execute(tx)
}

export async function saveFault(
  db: Db,
  network: string,
  address: string,
  { fault, now, nextReadAt }: { readonly fault: string; readonly now: Date; readonly nextReadAt: Date },
): Promise<void> {
  await sql`update treasury_readings
    set fault = ${fault}, fault_count = fault_count + 1, failing_since = coalesce(failing_since, ${now}::timestamptz),
      next_read_at = ${nextReadAt}
    where network = ${network} and address = ${address}`.execute(db)
}

/** Notes transactions of the node's list that are not known yet. One is known once its transfers are stored. */
export async function addListed(tx: Db, network: string, txids: readonly string[], now: Date): Promise<void> {
  await sql`insert into treasury_candidates as c (network, txid, listed_at, next_look_at, is_listed)
    select distinct ${network}, listed.txid, ${now}::timestamptz, ${now}::timestamptz, true
    from unnest(${[...txids]}::text[]) listed (txid)
    where not exists (select from transfers t where t.network = ${network} and t.txid = listed.txid)
    on conflict (network, txid) do update set is_listed = true where not c.is_listed`.execute(tx)
}

/** Notes a transaction that a person names, unless it is known. It may be mistyped, so nothing waits for its receipt. */
export async function addNamed(tx: Db, network: string, txid: string, now: Date): Promise<void> {
  await sql`insert into treasury_candidates (network, txid, listed_at, next_look_at, is_listed)
    select ${network}, ${txid}, ${now}::timestamptz, ${now}::timestamptz, false
    where not exists (select from transfers t where t.network = ${network} and t.txid = ${txid})
    on conflict do nothing`.execute(tx)
}

/** Looks no more for a transaction that a person named, unless another line of a run names it. */
export async function removeNamed(
  tx: Db,
  network: string,
  { txid, lineId }: { readonly txid: string; readonly lineId: string },
): Promise<void> {
  await sql`delete from treasury_candidates
    where network = ${network} and txid = ${txid} and not is_listed and not exists (
      select from payment_run_lines l
      where l.transaction_hash = ${txid} and l.transfer_id is null and l.id <> ${lineId}::bigint)`.execute(tx)
}

export type WaitingTransaction = Row<'treasury_candidates'>

export function dueCandidates(
  db: Db,
  network: string,
  now: Date,
  limit: number,
): Promise<WaitingTransaction[]> {
  return db
    .selectFrom('treasury_candidates')
    .selectAll()
    .where('network', '=', network)
    .where('next_look_at', '<=', now)
    .orderBy('next_look_at')
    .orderBy('txid')
    .limit(limit)
    .execute()
}

interface ListedCount {
  readonly count: number
  /** How many of them are looked up now. */
  readonly due: number
  /** Since when the oldest of them waits. */
  readonly oldest: Date | null
}

/** Counts the listed transactions that wait for their receipt, without those that a person named. */
export async function countListed(db: Db, network: string, now: Date): Promise<ListedCount> {
  const found = await row<ListedCount>(
    db,
    sql`select count(*)::int as count, (count(*) filter (where next_look_at <= ${now}))::int as due,
          min(listed_at) as oldest
        from treasury_candidates where network = ${network} and is_listed`,
  )
  return found ?? { count: 0, due: 0, oldest: null }
}

export async function postponeCandidate(db: Db, network: string, txid: string, at: Date): Promise<void> {
  await db
    .updateTable('treasury_candidates')
    .set({ look_count: sql<number>`look_count + 1`, next_look_at: at })
    .where('network', '=', network)
    .where('txid', '=', txid)
    .execute()
}

export async function removeCandidate(tx: Db, network: string, txid: string): Promise<void> {
  await tx.deleteFrom('treasury_candidates').where('network', '=', network).where('txid', '=', txid).execute()
}
