// SQL on how far the treasury is read: the list of each wallet, and the transactions that wait for their receipt.
import { sql } from 'kysely'
import { row, rows, type Db } from '../../platform/db.ts'

/** A wallet of ours, and how far its list is read. */
export interface WalletReading {
  readonly address: string
  readonly reads_from: Date
  readonly read_to: Date
  readonly resumes_at: Date | null
  readonly read_at: Date | null
  readonly fault: string
  readonly fault_count: number
  readonly failing_since: Date | null
}

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

const shown = sql`address, reads_from, read_to, resumes_at, read_at, fault, fault_count, failing_since`

/** The wallets whose list is to be read now, the one that waits longest first. */
export function dueReadings(
  db: Db,
  network: string,
  addresses: readonly string[],
  now: Date,
): Promise<WalletReading[]> {
  return rows(
    db,
    sql`select ${shown} from treasury_readings
        where network = ${network} and address = any(${[...addresses]}::text[]) and next_read_at <= ${now}
        order by next_read_at, address`,
  )
}

export function listReadings(
  db: Db,
  network: string,
  addresses: readonly string[],
): Promise<WalletReading[]> {
  return rows(
    db,
    sql`select ${shown} from treasury_readings
        where network = ${network} and address = any(${[...addresses]}::text[]) order by address`,
  )
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

export interface WaitingTransaction {
  readonly txid: string
  readonly look_count: number
  /** False: a person named it. */
  readonly is_listed: boolean
  readonly listed_at: Date
}

export function dueCandidates(
  db: Db,
  network: string,
  now: Date,
  limit: number,
): Promise<WaitingTransaction[]> {
  return rows(
    db,
    sql`select txid, look_count, is_listed, listed_at from treasury_candidates
        where network = ${network} and next_look_at <= ${now} order by next_look_at, txid limit ${limit}`,
  )
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
  await sql`update treasury_candidates set look_count = look_count + 1, next_look_at = ${at}
    where network = ${network} and txid = ${txid}`.execute(db)
}

export async function removeCandidate(tx: Db, network: string, txid: string): Promise<void> {
  await sql`delete from treasury_candidates where network = ${network} and txid = ${txid}`.execute(tx)
}
