// One bounded scan of an index, newest first: it looks at a limited number of rows and says how far it came (the edge).
// Everything newer than the edge is known, so the next scan may go on below it with another index.
import { sql } from 'kysely'
import { preparedRows, type Db } from '../../platform/db.ts'
import { conjunctionOf, rowPredicates, type Condition, type SqlFragment } from '../query/condition.ts'
import {
  nameColumns,
  nameJoins,
  type NamedRow,
  type NamedRowOrNone,
  recordColumns,
  type ListPosition,
} from '../../ingest/index.ts'

/** The index to scan: the primary key, or another one and its keys. */
export type LeadingIndex =
  | { readonly by: 'time' | 'unowned' | 'tests' }
  | { readonly by: 'clientIds' | 'statuses'; readonly keys: readonly number[] }
  | { readonly by: 'clientStatuses'; readonly keys: readonly number[]; readonly clientId: number }

export interface IndexWalk {
  readonly rows: NamedRow[]
  /** Every match at or above this position is known; undefined when the scan reached the end. */
  readonly edge: ListPosition | undefined
  /** How many rows it looked at. */
  readonly walkedCount: number
}

/** The fields of a condition that each index has already matched. */
const answeredByIndex = {
  time: [],
  unowned: ['isUnowned'],
  tests: ['isTest'],
  clientIds: ['clientIds'],
  statuses: ['statuses'],
  clientStatuses: ['clientIds', 'statuses'],
} as const

// How many more rows than the page needs are scanned where test messages are left out: there are few of them.
const testsPassedMax = 100

/** Whether all rows of the index match, apart from test messages among them. */
export function isAnswered(condition: Condition, lead: LeadingIndex): boolean {
  const { isTest, ...rest } = condition
  return rowPredicates(isTest === false ? rest : condition, answeredByIndex[lead.by]).length === 0
}

/**
 * Scans at most `rowsMax` rows for each key of `lead` below `after`, and gives up to `limit` that match `condition`.
 * The edge is the newest position at which the scan of a key stopped.
 */
export async function walkIndex(
  db: Db,
  condition: Condition,
  lead: LeadingIndex,
  after: ListPosition | undefined,
  { rowsMax, limit }: { rowsMax: number; limit: number },
): Promise<IndexWalk> {
  const residue = rowPredicates(condition, answeredByIndex[lead.by])
  const passedMax = residue.length === 0 ? 0 : testsPassedMax
  const budget = isAnswered(condition, lead) ? Math.min(rowsMax, limit + passedMax) : rowsMax
  const found = await preparedRows<WalkRow>(
    db,
    sql`with walked as materialized (
        ${walkedRows(condition, lead, after, budget)}
      ), edge as (
        select created_at, id from walked where nth = ${budget} order by created_at desc, id desc limit 1
      )
      select ${recordColumns}, ${nameColumns}, progress.edge_at, progress.edge_id, progress.walked
      from (select) one
      left join edge on true
      left join lateral (
        select ${recordColumns}, row_number() over (order by r.created_at desc, r.id desc) as place from walked r
        where ${conjunctionOf(residue)} and (edge.id is null or (r.created_at, r.id) >= (edge.created_at, edge.id))
        order by r.created_at desc, r.id desc limit (select ${limit}::int)
      ) r on true
      left join lateral (
        select edge.created_at as edge_at, edge.id as edge_id, (select count(*) from walked) as walked
        where r.id is null or r.place = 1
      ) progress on true
      ${nameJoins}
      order by r.created_at desc, r.id desc`,
  )
  const [first] = found
  const { edge_at: edgeAt = null, edge_id: edgeId = null } = first ?? {}
  return {
    rows: found.filter((row): row is WalkRow & NamedRow => row.id !== null),
    walkedCount: Number(first?.walked ?? 0),
    edge: edgeAt === null || edgeId === null ? undefined : { createdAt: edgeAt, id: Number(edgeId) },
  }
}

/** A record. The first row also says how far the scan came, even if there is no record. */
interface WalkRow extends NamedRowOrNone {
  readonly edge_at: Date | null
  readonly edge_id: string | null
  readonly walked: string | null
}

/** The rows of each key, numbered from the newest. */
function walkedRows(
  { from, to }: Condition,
  lead: LeadingIndex,
  after: ListPosition | undefined,
  rowsMax: number,
): SqlFragment {
  const { createdAt, id } = after ?? { createdAt: 'infinity', id: 0 }
  const [since, until] = [from ?? '-infinity', to ?? 'infinity']
  return sql`select ${recordColumns},
      row_number() over (partition by k.key order by r.created_at desc, r.id desc) as nth
    from unnest((select ${'keys' in lead ? lead.keys : [0]}::int[])) k(key)
    cross join lateral walk_records(
      ${lead.by}, k.key, ${lead.by === 'clientStatuses' ? lead.clientId : null}::int, ${since}, ${until},
      ${createdAt}, ${id}, ${rowsMax}::int
    ) r`
}

/**
 * SQL predicates for the rows strictly after a position in the list. The planner chooses partitions by the first
 * predicate; it cannot by row values.
 */
export function belowPosition(after: ListPosition | undefined): SqlFragment[] {
  if (after === undefined) return []
  return [
    sql`r.created_at <= ${after.createdAt}`,
    sql`(r.created_at, r.id) < (${after.createdAt}::timestamptz, ${after.id}::bigint)`,
  ]
}
