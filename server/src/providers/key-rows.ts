// Gives each row its permanent key: the hash of its id, or of what makes it a message with its number among equal rows.
import type { Db } from '../platform/db.ts'
import { mapInTurns } from '../platform/work/in-turns.ts'
import { countRows } from './progress-store.ts'
import { ordinalKey, rowHash, type ParsedRow, type KeyedRow } from './read-row.ts'

/**
 * Rows of a walk with several pages: equal rows are numbered through all of them. In a circle of cursors, rows without an
 * id that pages before had as well are this walk's own repetition, and are left out.
 */
export async function keyRows(
  tx: Db,
  providerId: number,
  rows: readonly ParsedRow[],
  { isCircle }: { isCircle: boolean },
): Promise<KeyedRow[]> {
  const hashes = await hashesOf(rows)
  const counts = new Map<string, number>()
  for (const hash of hashes) if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const seen = counts.size === 0 ? new Map<string, number>() : await countRows(tx, providerId, counts)
  if (!isCircle) return keyed(rows, hashes, seen)
  const isOwn = (hash: string | undefined) => hash === undefined || (seen.get(hash) ?? 0) === 0
  return keyed(
    rows.filter((_, place) => isOwn(hashes[place])),
    hashes.filter(isOwn),
    seen,
  )
}

/** Rows of the only page of a walk. */
export async function keyRowsOf(rows: readonly ParsedRow[]): Promise<KeyedRow[]> {
  return keyed(rows, await hashesOf(rows), new Map())
}

/** Of the rows without an id; undefined for the others. */
function hashesOf(rows: readonly ParsedRow[]): Promise<(string | undefined)[]> {
  return mapInTurns(rows, (row) => (row.key === undefined ? rowHash(row.identity) : undefined))
}

function keyed(
  rows: readonly ParsedRow[],
  hashes: readonly (string | undefined)[],
  seen: Map<string, number>,
): Promise<KeyedRow[]> {
  let place = 0
  return mapInTurns(rows, (row) => {
    const hash = hashes[place]
    place += 1
    if (hash === undefined) return row as KeyedRow
    const ordinal = (seen.get(hash) ?? 0) + 1
    seen.set(hash, ordinal)
    return { ...row, key: ordinalKey(hash, ordinal) }
  })
}
