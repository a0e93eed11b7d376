// One bounded step through an index, newest first: it looks at no more rows than it was told, and says how far it came.
// Whatever lies above that edge is complete, so the next step may go on below it by another index.
import { sql } from 'kysely'
import { preparedRows, type Db } from '../../platform/db.ts'
import { allOf, residueOf, type Condition, type Fragment } from './condition.ts'
import { nameColumns, nameJoins, type NamedRow } from './names.ts'
import { recordColumns, type Place } from './record-row.ts'

/** Which index leads: the primary key, or one of the others with its keys. */
export type Lead =
  | { readonly by: 'time' }
  | { readonly by: 'clientIds' | 'statuses'; readonly keys: readonly number[] }
  | { readonly by: 'clientStatuses'; readonly keys: readonly number[]; readonly clientId: number }

export interface Step {
  readonly rows: NamedRow[]
  /** Everything at or above it is known; undefined when the walk came to its end. */
  readonly edge: Place | undefined
  /** How many rows it looked at. */
  readonly walkedCount: number
}

/** Which parts of a condition each lead's index answers. */
export const answered = {
  time: [],
  clientIds: ['clientIds'],
  statuses: ['statuses'],
  clientStatuses: ['clientIds', 'statuses'],
} as const

/**
 * Walks at most `rowsMax` rows for each key of `lead` below `after`, and gives up to `limit` that fulfil `condition`.
 * The edge is where the first of the keys stopped.
 */
export async function walk(
  db: Db,
  condition: Condition,
  lead: Lead,
  after: Place | undefined,
  { rowsMax, limit }: { rowsMax: number; limit: number },
): Promise<Step> {
  const residue = residueOf(condition, answered[lead.by])
  const budget = residue.length === 0 ? Math.min(rowsMax, limit) : rowsMax
  const found = await preparedRows<WalkRow>(
    db,
    sql`with walked as materialized (
        ${walkedRows(condition, lead, after, budget)}
      ), edge as (
        select created_at, id from walked where nth = ${budget} order by created_at desc, id desc limit 1
      )
      select ${recordColumns}, ${nameColumns}, told.edge_at, told.edge_id, told.walked
      from (select) one
      left join edge on true
      left join lateral (
        select ${recordColumns}, row_number() over (order by r.created_at desc, r.id desc) as place from walked r
        where ${allOf(residue)} and (edge.id is null or (r.created_at, r.id) >= (edge.created_at, edge.id))
        order by r.created_at desc, r.id desc limit (select ${limit}::int)
      ) r on true
      left join lateral (
        select edge.created_at as edge_at, edge.id as edge_id, (select count(*) from walked) as walked
        where r.id is null or r.place = 1
      ) told on true
      ${nameJoins}
      order by r.created_at desc, r.id desc`,
  )
  const [first] = found
  const { edge_at: edgeAt = null, edge_id: edgeId = null } = first ?? {}
  return {
    rows: found.filter((row): row is WalkRow & NamedRow => row.id != null),
    walkedCount: Number(first?.walked ?? 0),
    edge: edgeAt === null || edgeId === null ? undefined : { createdAt: edgeAt, id: Number(edgeId) },
  }
}

/** A record and, with the first, how far the walk came; without any record only that. */
interface WalkRow extends Partial<NamedRow> {
  readonly edge_at: Date | null
  readonly edge_id: string | null
  readonly walked: string | null
}

/** The rows of each key, numbered from the newest. */
function walkedRows(
  { from, to }: Condition,
  lead: Lead,
  after: Place | undefined,
  rowsMost: number,
): Fragment {
  const { createdAt, id } = after ?? { createdAt: 'infinity', id: 0 }
  return sql`select ${recordColumns},
      row_number() over (partition by k.key order by r.created_at desc, r.id desc) as nth
    from unnest((select ${lead.by === 'time' ? [0] : lead.keys}::int[])) k(key)
    cross join lateral walk_records(
      ${lead.by}, k.key, ${lead.by === 'clientStatuses' ? lead.clientId : null}::int, ${from ?? '-infinity'},
      ${to ?? 'infinity'}, ${createdAt}, ${id}, ${rowsMost}::int
    ) r`
}

/** Strictly after a place in the list. The first part is for the choice of partitions, which rows cannot steer. */
export function below(after: Place | undefined): Fragment[] {
  if (after === undefined) return []
  return [
    sql`r.created_at <= ${after.createdAt}`,
    sql`(r.created_at, r.id) < (${after.createdAt}::timestamptz, ${after.id}::bigint)`,
  ]
}
