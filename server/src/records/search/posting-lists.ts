// The inverted index by number: for each group of blocks, a number's posting list has the keys of its records.
import { sql } from 'kysely'
import { conjunctionOf, openStatuses, type Condition, type SqlFragment } from '../query/condition.ts'

// Looking up more numbers than this costs more time than a page may take.
const numbersMax = 5_000
// The same for a filter with other conditions, which most records of these numbers may not match.
const filteredNumbersMax = 16
// Blocks without a group are tested for so many numbers at most; of more numbers nearly every block has one.
const testedMax = 64
// For up to so many numbers all posting lists that can be next are loaded.
const loadedMax = 16

/** The numbers whose posting lists lead to a condition's records; undefined when another method is better. */
export function numbersForPostings(condition: Condition): readonly number[] | undefined {
  const { numberIds, search, gatewayIds, sender } = condition
  if (search !== undefined || numberIds === undefined) return undefined
  const hasOtherFilter =
    gatewayIds !== undefined || sender !== undefined || openStatuses(condition) !== undefined
  return numberIds.length <= (hasOtherFilter ? filteredNumbersMax : numbersMax) ? numberIds : undefined
}

/** Whether the posting lists decide the whole condition except its time. */
export function isDecidedByPostings({
  clientIds,
  rangeIds,
  gatewayIds,
  statuses,
  sender,
  settling,
}: Condition): boolean {
  return [clientIds, rangeIds, gatewayIds, statuses, sender, settling].every((filter) => filter === undefined)
}

/** How many posting lists to load for these numbers, if `count` are loaded for one. */
export function postingsPerLoad(numberIds: readonly number[], count: number): number {
  return count * Math.min(loadedMax, numberIds.length)
}

/** SQL predicates: whether a block `s` without a group has a record of the numbers. */
export function numberPredicates(numberIds: readonly number[] | undefined): SqlFragment[] {
  return numberIds === undefined || numberIds.length > testedMax
    ? []
    : [sql`s.number_ids && ${numberIds}::int[]`]
}

/** The newest posting lists `p` of the numbers that match `where`, at most `rowsMax`. */
export function newestPostings(
  numberIds: readonly number[],
  where: readonly SqlFragment[],
  rowsMax: number,
): SqlFragment {
  const newest = sql`order by p.created_to desc, p.group_id desc, p.number_id desc limit ${rowsMax}::int`
  return sql`
    select p.* from unnest((select ${numberIds}::int[])) k(number_id)
    cross join lateral (
      select p.number_id, p.created_from, p.created_to, p.group_id, cardinality(p.record_ids) as record_count
      from record_postings p where p.number_id = k.number_id and ${conjunctionOf(where)} ${newest}
    ) p ${newest}`
}

/** The keys (created_at, id) in these posting lists. */
export function keysOfPostings(
  postings: readonly { readonly id: number; readonly toMs: number; readonly numberId?: number | undefined }[],
): SqlFragment {
  const numberIds = postings.map(({ numberId }) => numberId)
  const tos = postings.map(({ toMs }) => new Date(toMs))
  return sql`
    select l.created_at, l.id
    from unnest(
      (select ${numberIds}::int[]), (select ${tos}::timestamptz[]),
      (select ${`{${postings.map(({ id }) => id).join(',')}}`}::bigint[])
    ) k(number_id, created_to, group_id)
    cross join lateral (
      select created_ats, record_ids from record_postings p
      where p.number_id = k.number_id and p.created_to = k.created_to and p.group_id = k.group_id offset 0
    ) p
    cross join lateral unnest(p.created_ats, p.record_ids) l(created_at, id)`
}
