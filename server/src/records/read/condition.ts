// What the records of a page, a sum or an export must fulfil, resolved to keys, and its SQL on an alias `r`.
import { sql, type RawBuilder } from 'kysely'
import { completedCode } from './codes.ts'

/** All parts must hold; an absent part does not restrict. Empty lists never come here: they mean "nothing found". */
export interface Condition {
  /** Half-open, by receipt time. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  readonly clientIds?: readonly number[] | undefined
  readonly rangeIds?: readonly number[] | undefined
  readonly gatewayIds?: readonly number[] | undefined
  readonly statuses?: readonly number[] | undefined
  readonly numberIds?: readonly number[] | undefined
  /** ASCII letters in lower case; the sender contains it. */
  readonly sender?: string | undefined
  /** At least one of its parts must hold as well. */
  readonly search?: Search | undefined
}

/** What a search box may mean. */
export interface Search {
  readonly numberIds: readonly number[]
  readonly clientIds: readonly number[]
  /** As in {@link Condition}; absent when the viewer may not search senders. */
  readonly sender: string | undefined
}

export type Fragment = RawBuilder<unknown>

/** The statuses asked for, where all are of records that `records_open_idx` has; else undefined. */
export function openStatuses({ statuses }: Condition): readonly number[] | undefined {
  return statuses?.includes(completedCode) ? undefined : statuses
}

const always = sql`true`

/** Joins conditions with `and`. */
export function allOf(parts: readonly Fragment[]): Fragment {
  return parts.length === 0 ? always : sql.join(parts, sql` and `)
}

/** The time window, for the choice of partitions and the primary key. */
export function windowOf({ from, to }: Pick<Condition, 'from' | 'to'>): Fragment[] {
  return [
    ...(from === undefined ? [] : [sql`r.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`r.created_at < ${to}`]),
  ]
}

/** Everything but the time window. `without` leaves out the parts that an index already answers. */
export function residueOf(
  condition: Condition,
  without: readonly ('clientIds' | 'statuses')[] = [],
): Fragment[] {
  const { search, sender } = condition
  const parts: Fragment[] = []
  if (!without.includes('clientIds')) parts.push(...oneOf('client_id', condition.clientIds))
  if (!without.includes('statuses')) parts.push(...oneOf('status', condition.statuses))
  if (condition.numberIds !== undefined) parts.push(isAmong('r.number_id', condition.numberIds))
  parts.push(...oneOf('range_id', condition.rangeIds), ...oneOf('gateway_id', condition.gatewayIds))
  if (sender !== undefined) parts.push(senderContains(sender))
  if (search !== undefined) parts.push(sql`(${sql.join(anyOf(search), sql` or `)})`)
  return parts
}

function anyOf({ numberIds, clientIds, sender }: Search): Fragment[] {
  return [
    sql`false`,
    ...oneOf('client_id', clientIds.length === 0 ? undefined : clientIds),
    ...(numberIds.length === 0 ? [] : [isAmong('r.number_id', numberIds)]),
    ...(sender === undefined ? [] : [senderContains(sender)]),
  ]
}

function oneOf(
  column: 'client_id' | 'status' | 'range_id' | 'gateway_id',
  values: readonly number[] | undefined,
): Fragment[] {
  const name = sql.ref(`r.${column}`)
  if (values === undefined) return []
  return [values.length === 1 ? sql`${name} = ${values[0]}` : sql`${name} = any(${values}::int[])`]
}

/** Whether a column has one of these ids. A search may mean tens of thousands: a bit is tested faster than a list is read. */
export function isAmong(column: string, ids: readonly number[]): Fragment {
  const asked = sql.ref(column)
  if (ids.length <= 8) return sql`${asked} = any(${ids}::int[])`
  const bits = Buffer.alloc((Math.max(...chunkMaxima(ids)) >> 3) + 1)
  for (const id of ids) bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7))
  return sql`(${asked} < ${bits.length * 8}::int and get_bit(${bits}::bytea, ${asked}) = 1)`
}

// Math.max takes its arguments on the stack.
function chunkMaxima(ids: readonly number[]): number[] {
  const maxima: number[] = []
  for (let start = 0; start < ids.length; start += 10_000)
    maxima.push(Math.max(...ids.slice(start, start + 10_000)))
  return maxima
}

/** Under collation C only ASCII letters have a lower case, as in {@link foldCase}. */
function senderContains(sender: string): Fragment {
  return sql`strpos(lower(r.sender collate "C"), ${sender}) > 0`
}

/** Lower case for ASCII letters alone: the same on both sides, whatever the database's locale. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
