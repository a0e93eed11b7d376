// Where records of a number are: the follower lists their keys, once for all the segments of a signature.
import { sql } from 'kysely'
import { allOf, openStatuses, type Condition, type Fragment } from '../read/condition.ts'
import type { Candidate } from './candidates.ts'

// More numbers than this, and looking each up costs more than a page may.
const numbersMost = 5_000
// The same where something else is asked that most of their records may not have.
const refusedNumbersMost = 16
// The lists of open segments are tested for so many numbers at most; for more of them nearly each segment has one.
const testedMost = 64
// Of so many numbers all postings that may be next are loaded.
const loadedMost = 16

/** The numbers whose postings lead to a condition's records; undefined when other ways are better. */
export function postedNumbers(condition: Condition): readonly number[] | undefined {
  const { numberIds, search, gatewayIds, sender } = condition
  if (search !== undefined || numberIds === undefined) return undefined
  const mayRefuseMost =
    gatewayIds !== undefined || sender !== undefined || openStatuses(condition) !== undefined
  return numberIds.length <= (mayRefuseMost ? refusedNumbersMost : numbersMost) ? numberIds : undefined
}

/** Whether the postings decide the whole condition but its time. */
export function isToldByPostings({ clientIds, rangeIds, gatewayIds, statuses, sender }: Condition): boolean {
  return [clientIds, rangeIds, gatewayIds, statuses, sender].every((part) => part === undefined)
}

/** How many postings to load where `count` are loaded for one number. */
export function postingsAtOnce(numberIds: readonly number[], count: number): number {
  return count * Math.min(loadedMost, numberIds.length)
}

/** Whether an open segment `s` can hold a record of the numbers. */
export function holdsNumber(numberIds: readonly number[] | undefined): Fragment[] {
  return numberIds === undefined || numberIds.length > testedMost
    ? []
    : [sql`s.number_ids && ${numberIds}::int[]`]
}

/** The newest postings `p` of the numbers that fulfil `where`, at most `rowsMost`. */
export function newestPostings(
  numberIds: readonly number[],
  where: readonly Fragment[],
  rowsMost: number,
): Fragment {
  const newest = sql`order by p.created_to desc, p.signature_id desc, p.number_id desc limit ${rowsMost}::int`
  return sql`
    select p.* from unnest((select ${numberIds}::int[])) k(number_id)
    cross join lateral (
      select p.number_id, p.created_from, p.created_to, p.signature_id, cardinality(p.record_ids) as record_count
      from record_postings p where p.number_id = k.number_id and ${allOf(where)} ${newest}
    ) p ${newest}`
}

/** The keys (created_at, id) that these postings list. */
export function keysOfPostings(postings: readonly Candidate[]): Fragment {
  const numberIds = postings.map(({ numberId }) => numberId)
  const tos = postings.map(({ toMs }) => new Date(toMs))
  return sql`
    select l.created_at, l.id
    from unnest(
      (select ${numberIds}::int[]), (select ${tos}::timestamptz[]),
      (select ${`{${postings.map(({ id }) => id).join(',')}}`}::bigint[])
    ) k(number_id, created_to, signature_id)
    cross join lateral (
      select created_ats, record_ids from record_postings p
      where p.number_id = k.number_id and p.created_to = k.created_to and p.signature_id = k.signature_id offset 0
    ) p
    cross join lateral unnest(p.created_ats, p.record_ids) l(created_at, id)`
}
