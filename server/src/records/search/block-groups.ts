// Groups of 256 blocks with their bloom filters transposed: for each slot of the filter, a row of bits says which blocks
// have it set. Reading the rows of a condition's slots tells which blocks can match.
import { sql } from 'kysely'
import type { SqlFragment } from '../query/condition.ts'
import { blocksPerGroup, bitRowBytes } from './index-blocks.ts'
import { ceilMs } from './sql-times.ts'

/** Each clause is a list of alternative slots: a block can match if of each clause at least one slot is set. */
type Clauses = readonly (readonly number[])[]

/** Some blocks of a group, by their index in the group. */
export interface BlocksOfGroup {
  readonly groupId: string
  readonly blockNumbers: readonly number[]
}

/** A group, whether its row has only this group or several, with its blocks that can match. */
export interface GroupMatches extends BlocksOfGroup {
  readonly toMs: number
}

/** The columns of {@link groupColumns}; null in rows of other kinds. */
export interface GroupColumns {
  readonly part_count: number | null
  /** The ids of the groups in a row with several, comma-separated. */
  readonly part_ids: string | null
  readonly part_tos: string | null
  /** The bit rows of the requested slots, one after another; for each slot those of all groups side by side. */
  readonly bit_rows: Buffer | null
}

interface GroupRow extends GroupColumns {
  readonly id: string
  readonly to_ms: number
}

/** The columns of {@link groupColumns} in rows of other kinds. */
export const noGroupColumns = sql`null::int as part_count, null::text as part_ids, null::text as part_tos, null::bytea as bit_rows`

/** SQL: the columns {@link GroupColumns} of a row `s`. Each bit row is read by itself, as a separate part of the value. */
export function groupColumns(clauses: Clauses): SqlFragment {
  const bitRows = clauses
    .flat()
    .map(
      (slot) =>
        sql`substring(s.bit_rows from ${slot * bitRowBytes}::int * s.part_count + 1 for ${bitRowBytes}::int * s.part_count)`,
    )
  return sql`s.part_count, array_to_string(s.part_ids, ',') as part_ids,
    array_to_string(array(select ${sql.raw(ceilMs('t.at'))} from unnest(s.part_tos) t(at)), ',') as part_tos,
    ${sql.join(bitRows, sql` || `)} as bit_rows`
}

/**
 * SQL predicates: whether the bloom filter of a block `s` without a group fits all clauses. One byte is cut out for
 * each bit, so that the database reads only that part of the filter.
 */
export function filterPredicates(clauses: Clauses): SqlFragment[] {
  return clauses.map((clause) => {
    const bits = clause.map(
      (slot) =>
        sql`get_bit(substring(s.bloom_filter from ${(slot >> 3) + 1}::int for 1), ${slot & 7}::int) = 1`,
    )
    return sql`(${sql.join(bits, sql` or `)})`
  })
}

/** The groups of a row, one or several. `clauses` must be those of {@link groupColumns}. */
export function matchesOf(found: GroupRow, clauses: Clauses): GroupMatches[] {
  const ids = found.part_ids?.split(',')
  const tos = found.part_tos?.split(',')
  return Array.from({ length: found.part_count ?? 0 }, (_, index) => ({
    groupId: ids?.[index] ?? found.id,
    toMs: ids === undefined ? found.to_ms : Number(tos?.[index]),
    blockNumbers: blocksWithAll(clauses, found, index),
  }))
}

/** The blocks of the row's `group`-th group that fit all clauses. */
function blocksWithAll(
  clauses: Clauses,
  { bit_rows: bitRows, part_count: partCount }: GroupColumns,
  group: number,
): number[] {
  const result = Buffer.alloc(bitRowBytes, 0xff)
  let next = 0
  for (const clause of clauses) {
    const any = Buffer.alloc(bitRowBytes)
    for (let slot = 0; slot < clause.length; slot += 1, next += 1) {
      const from = (next * (partCount ?? 0) + group) * bitRowBytes
      for (let octet = 0; octet < bitRowBytes; octet += 1)
        any[octet] = (any[octet] ?? 0) | (bitRows?.[from + octet] ?? 0)
    }
    for (let octet = 0; octet < bitRowBytes; octet += 1)
      result[octet] = (result[octet] ?? 0) & (any[octet] ?? 0)
  }
  const blockNumbers: number[] = []
  for (let block = 0; block < blocksPerGroup; block += 1)
    if (((result[block >> 3] ?? 0) & (1 << (block & 7))) !== 0) blockNumbers.push(block)
  return blockNumbers
}
