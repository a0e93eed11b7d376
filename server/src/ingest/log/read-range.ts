// Reads a closed range of the log, oldest first, a page at a time, with the names of its records.
import { prepared, type Db } from '../../platform/db.ts'
import { nameColumnsText, nameJoinsText, type NamedRow } from './names.ts'
import { recordColumnsText } from './record-row.ts'

/** The records of transactions from `fromXid` to below `toXid`. Both are at most the horizon, so the range is final. */
export interface LogRange {
  readonly fromXid: string
  readonly toXid: string
  /** How many records were stored by them. */
  readonly storedCount: number
}

/** null: of everybody. */
export interface RangeFilter {
  readonly clientId: number | null
  readonly gatewayId: number | null
}

/** Some of a range's records were removed after their retention. */
export class RecordsGone extends Error {
  override readonly name = 'RecordsGone'
}

interface Batch {
  readonly xid: string
  readonly id: string
  readonly count: number
  readonly from: string
  readonly to: string
  /** Whether none of its records is the client's. */
  readonly isOthers: boolean
}

/** A part of a batch: its records from `first` to below `beyond`. */
interface Piece extends Batch {
  readonly first: number
  readonly beyond: number
}

const batchesAtOnce = 500
const batchesText = `
  select xid::text, id, record_count::int as count, created_from::text as from, created_to::text as to,
    $4::int is not null and coalesce(not client_ids && array[$4::int], false) as "isOthers"
  from log_batches($1::xid8, $2::bigint, $3::xid8, ${batchesAtOnce})`

// One row at least, so that what is missing shows although nothing matches.
const recordsText = `
  with found as materialized (
    select * from records_of_batches($1::bigint[], $2::timestamptz[], $3::timestamptz[], $4::int[], $5::int[])
  ), counted as (select count(*)::int as found_count from found),
  named as (
    select ${recordColumnsText}, ${nameColumnsText} from found r ${nameJoinsText}
    where ($6::int is null or r.client_id = $6) and ($7::int is null or r.gateway_id = $7)
  )
  select counted.found_count, named.* from counted left join named on true`

/**
 * Pages of up to `rowsMax` of the range's records that match. Throws RecordsGone when any record of the range is missing,
 * whether it would match or not.
 */
export async function* readLogRange(
  db: Db,
  range: LogRange,
  filter: RangeFilter,
  rowsMax: number,
): AsyncGenerator<readonly NamedRow[]> {
  let seenCount = 0
  let pieces: Piece[] = []
  let room = rowsMax
  for await (const batch of batchesOf(db, range, filter)) {
    seenCount += batch.count
    if (batch.isOthers) continue
    for (let first = 0; first < batch.count;) {
      const beyond = Math.min(batch.count, first + room)
      pieces.push({ ...batch, first, beyond })
      room -= beyond - first
      first = beyond
      if (room > 0) continue
      yield await readPieces(db, pieces, filter)
      ;[pieces, room] = [[], rowsMax]
    }
  }
  if (pieces.length > 0) yield await readPieces(db, pieces, filter)
  if (seenCount < range.storedCount) throw new RecordsGone('Batches of the range are gone')
}

async function* batchesOf(db: Db, { fromXid, toXid }: LogRange, filter: RangeFilter): AsyncGenerator<Batch> {
  let [xid, id] = [fromXid, 0n]
  for (;;) {
    const found = await prepared<Batch>(db, 'batches_of_range', batchesText, [
      xid,
      String(id),
      toXid,
      filter.clientId,
    ])
    yield* found
    const last = found.at(-1)
    if (last === undefined || found.length < batchesAtOnce) return
    ;[xid, id] = [last.xid, BigInt(last.id) + 1n]
  }
}

/** All columns are null when nothing matches. */
type FoundRow = { readonly [K in keyof NamedRow]: NamedRow[K] | null } & { readonly found_count: number }

const isRecord = (row: FoundRow): row is FoundRow & NamedRow => row.id !== null

async function readPieces(db: Db, pieces: readonly Piece[], filter: RangeFilter): Promise<NamedRow[]> {
  const found = await prepared<FoundRow>(db, 'records_of_range', recordsText, [
    pieces.map(({ id }) => id),
    pieces.map(({ from }) => from),
    pieces.map(({ to }) => to),
    pieces.map(({ first }) => first),
    pieces.map(({ beyond }) => beyond),
    filter.clientId,
    filter.gatewayId,
  ])
  const expected = pieces.reduce((sum, { first, beyond }) => sum + beyond - first, 0)
  if ((found[0]?.found_count ?? 0) < expected) throw new RecordsGone('Records of the range are gone')
  const places = new Map(pieces.map(({ id }, place) => [Number(id), place]))
  const placeOf = ({ id }: NamedRow) => places.get(Math.floor(Number(id) / 4_096)) ?? 0
  // The joins may give them in any order.
  return found.filter(isRecord).toSorted((a, b) => placeOf(a) - placeOf(b) || Number(a.id) - Number(b.id))
}
