// Finds the records of a block that match a condition by the block's own columns: a hundred times cheaper than reading
// the records.
import { sql } from 'kysely'
import { conjunctionOf, isAmong, type Condition, type SqlFragment } from '../query/condition.ts'
import { isDecidedByLines } from './source-address-lines.ts'

/** Whether a block's columns decide the whole condition, including its time. */
export function isDecidedByColumns({ statuses, search, sender, alsoSender, settling }: Condition): boolean {
  const isPlain = [statuses, search, alsoSender, settling].every((tested) => tested === undefined)
  return isPlain && (sender === undefined || isDecidedByLines(sender))
}

/** The keys (created_at, id) of the records in these blocks that match, as far as the columns can say. */
export function keysInBlocks(blockIds: SqlFragment, condition: Condition): SqlFragment {
  const { clientIds, rangeIds, gatewayIds, numberIds, sender } = condition
  const positions: SqlFragment[] = []
  if (sender !== undefined && isDecidedByLines(sender)) positions.push(sql`lines_with(s.senders, ${sender})`)
  positions.push(
    ...positionsWith('number_ids', numberIds),
    ...positionsWith('gateway_ids', gatewayIds),
    ...positionsWith('client_ids', clientIds),
    ...positionsWith('range_ids', rangeIds),
  )
  const [first = sql`array(select generate_subscripts(s.record_ids, 1))`, ...others] = positions
  const names = others.map((_, index) => sql.ref(`p.also_${index}`))
  const also = others.map((other, index) => sql`, ${other} as ${sql.ref(`also_${index}`)}`)
  // Appending an empty array makes PostgreSQL decompress the stored one once for a block, and not once for each match.
  return sql`
    select l.created_ats[n] as created_at, l.record_ids[n] as id
    from (${blockIds}) k(id)
    join record_blocks s on s.id = k.id
    cross join lateral (select ${first} as leading ${sql.join(also, sql``)} offset 0) p
    cross join lateral (
      select s.created_ats || '{}'::timestamptz[] as created_ats, s.record_ids || '{}'::bigint[] as record_ids
      where cardinality(p.leading) > 0 offset 0
    ) l
    cross join lateral unnest(p.leading) n
    where ${conjunctionOf(names.map((name) => sql`n = any(${name})`))}
    offset 0`
}

function positionsWith(
  column: 'number_ids' | 'client_ids' | 'range_ids' | 'gateway_ids',
  ids: readonly number[] | undefined,
): SqlFragment[] {
  if (ids === undefined) return []
  const list = sql.ref(`s.${column}`)
  if (ids.length === 1) return [sql`array_positions(${list}, ${ids[0]}::int)`]
  return [
    sql`array(select nth::int from unnest(${list}) with ordinality t(id, nth) where ${isAmong('t.id', ids)})`,
  ]
}
