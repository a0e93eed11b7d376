// Gives each row its permanent key: the hash of its id, or of its content and its number among equal rows.
import type { Db } from '../platform/db.ts'
import { countRows } from './progress-store.ts'
import { ordinalKey, rowHash, type ParsedRow } from './read-row.ts'
import type { KeyedRow } from './store-rows.ts'

/** Rows of a walk with several pages: equal rows are numbered through all of them. */
export async function keyRows(tx: Db, providerId: number, rows: readonly ParsedRow[]): Promise<KeyedRow[]> {
  const hashes = rows.map((row) => (row.key === undefined ? rowHash(row.raw) : undefined))
  const counts = new Map<string, number>()
  for (const hash of hashes) if (hash !== undefined) counts.set(hash, (counts.get(hash) ?? 0) + 1)
  const seen = counts.size === 0 ? new Map<string, number>() : await countRows(tx, providerId, counts)
  return keyed(rows, hashes, seen)
}

/** Rows of the only page of a walk. */
export function keyRowsOf(rows: readonly ParsedRow[]): KeyedRow[] {
  const hashes = rows.map((row) => (row.key === undefined ? rowHash(row.raw) : undefined))
  return keyed(rows, hashes, new Map())
}

function keyed(
  rows: readonly ParsedRow[],
  hashes: readonly (string | undefined)[],
  seen: Map<string, number>,
): KeyedRow[] {
  return rows.map((row, place) => {
    const hash = hashes[place]
    if (hash === undefined) return row as KeyedRow
    const ordinal = (seen.get(hash) ?? 0) + 1
    seen.set(hash, ordinal)
    return { ...row, key: ordinalKey(hash, ordinal) }
  })
}
