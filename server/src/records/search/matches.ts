// Which records of a segment fulfil a condition, by the segment's own lists: a hundred times cheaper than reading the
// records.
import { sql } from 'kysely'
import { allOf, isAmong, type Condition, type Fragment } from '../read/condition.ts'
import { isToldByLines } from './sender-lines.ts'

/** Whether the lists decide the whole condition, its time included. */
export function isToldByLists({ statuses, search, sender }: Condition): boolean {
  return statuses === undefined && search === undefined && (sender === undefined || isToldByLines(sender))
}

/** The keys (created_at, id) of the records in these segments that fulfil all that the lists tell. */
export function keysIn(segmentIds: Fragment, condition: Condition): Fragment {
  const { clientIds, rangeIds, gatewayIds, numberIds, sender } = condition
  const places: Fragment[] = []
  if (sender !== undefined && isToldByLines(sender)) places.push(sql`lines_with(s.senders, ${sender})`)
  places.push(
    ...placesOf('number_ids', numberIds),
    ...placesOf('gateway_ids', gatewayIds),
    ...placesOf('client_ids', clientIds),
    ...placesOf('range_ids', rangeIds),
  )
  const [first = sql`array(select generate_subscripts(s.record_ids, 1))`, ...others] = places
  const names = others.map((_, index) => sql.ref(`p.also_${index}`))
  const also = others.map((other, index) => sql`, ${other} as ${sql.ref(`also_${index}`)}`)
  // Joining an empty list to a stored one unpacks it, once for a segment and not for each of its matches.
  return sql`
    select l.created_ats[n] as created_at, l.record_ids[n] as id
    from (${segmentIds}) k(id)
    join record_segments s on s.id = k.id
    cross join lateral (select ${first} as leading ${sql.join(also, sql``)} offset 0) p
    cross join lateral (
      select s.created_ats || '{}'::timestamptz[] as created_ats, s.record_ids || '{}'::bigint[] as record_ids
      where cardinality(p.leading) > 0 offset 0
    ) l
    cross join lateral unnest(p.leading) n
    where ${allOf(names.map((name) => sql`n = any(${name})`))}
    offset 0`
}

function placesOf(
  column: 'number_ids' | 'client_ids' | 'range_ids' | 'gateway_ids',
  ids: readonly number[] | undefined,
): Fragment[] {
  if (ids === undefined) return []
  const list = sql.ref(`s.${column}`)
  if (ids.length === 1) return [sql`array_positions(${list}, ${ids[0]}::int)`]
  return [
    sql`array(select nth::int from unnest(${list}) with ordinality t(id, nth) where ${isAmong('t.id', ids)})`,
  ]
}
