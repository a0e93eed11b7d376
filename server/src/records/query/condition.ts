// The condition of a page, a sum or an export, resolved to keys, and its SQL on an alias `r`.
import { sql, type RawBuilder } from 'kysely'
import type { TimeSpan } from '@tollgate/contract/records/time-of-day.ts'
import { recordFlags, completedCode } from '../../ingest/index.ts'
import { settlingPredicates, type Settling } from './settling.ts'

/** A record must match every field; an absent field does not restrict. Lists are never empty. */
export interface Condition {
  /** Half-open, by receipt time. */
  readonly from?: Date | undefined
  readonly to?: Date | undefined
  /** It must be in one of them, too; the newest first, none overlaps another one. Each is searched by itself. */
  readonly spans?: readonly TimeSpan[] | undefined
  readonly clientIds?: readonly number[] | undefined
  readonly rangeIds?: readonly number[] | undefined
  readonly gatewayIds?: readonly number[] | undefined
  readonly statuses?: readonly number[] | undefined
  readonly numberIds?: readonly number[] | undefined
  /** A text that the source address contains; ASCII letters in lower case. */
  readonly sender?: string | undefined
  /** Another text that it contains; the index looks for `sender` alone. */
  readonly alsoSender?: string | undefined
  /** What its money must be: cycle, rate, settlement, hold. */
  readonly settling?: Settling | undefined
  /** Nobody held the number when the record was stored. */
  readonly isUnowned?: boolean | undefined
  /** Whether it is a test message. No counter has test messages. */
  readonly isTest?: boolean | undefined
  /** A record must also match at least one field of it. */
  readonly search?: SearchBoxKeys | undefined
}

/** What the text of the search box can mean. */
export interface SearchBoxKeys {
  readonly numberIds: readonly number[]
  readonly clientIds: readonly number[]
  /** As in {@link Condition}; undefined when the viewer may not search source addresses. */
  readonly sender: string | undefined
}

export type SqlFragment = RawBuilder<unknown>

/** The condition for each of its spans, newest first; itself when it has none. */
export function partsOf({ spans, ...condition }: Condition): Condition[] {
  if (spans === undefined) return [condition]
  const { from, to } = condition
  return spans
    .map((span) => ({
      ...condition,
      from: from !== undefined && from > span.from ? from : span.from,
      to: to !== undefined && to < span.to ? to : span.to,
    }))
    .filter((part) => part.from < part.to)
}

/** The condition with one more text that the source address contains. */
export function withSender(condition: Condition, sender: string): Condition {
  return condition.sender === undefined ? { ...condition, sender } : { ...condition, alsoSender: sender }
}

/** The statuses of the condition if `records_open_idx` has the records of all of them; else undefined. */
export function openStatuses({ statuses }: Condition): readonly number[] | undefined {
  return statuses?.includes(completedCode) ? undefined : statuses
}

const always = sql`true`

/** Joins SQL predicates with `and`; true when there are none. */
export function conjunctionOf(predicates: readonly SqlFragment[]): SqlFragment {
  return predicates.length === 0 ? always : sql.join(predicates, sql` and `)
}

/** SQL predicates on records `r` for the time window: by them PostgreSQL chooses partitions and the primary key. */
export function windowPredicates({ from, to }: Pick<Condition, 'from' | 'to'>): SqlFragment[] {
  return [
    ...(from === undefined ? [] : [sql`r.created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`r.created_at < ${to}`]),
  ]
}

/**
 * SQL predicates on records `r` for all fields but the time window. `without` names the fields that an index has
 * matched already.
 */
export function rowPredicates(
  condition: Condition,
  without: readonly ('clientIds' | 'statuses' | 'isUnowned' | 'isTest')[] = [],
): SqlFragment[] {
  const { search, sender, alsoSender, isTest } = condition
  const predicates: SqlFragment[] = []
  if (condition.isUnowned === true && !without.includes('isUnowned'))
    predicates.push(sql`r.client_id is null`)
  if (isTest !== undefined && !without.includes('isTest'))
    predicates.push(sql`r.flags & ${recordFlags.test} ${sql.raw(isTest ? '<>' : '=')} 0`)
  if (!without.includes('clientIds')) predicates.push(...oneOf('client_id', condition.clientIds))
  if (!without.includes('statuses')) predicates.push(...oneOf('status', condition.statuses))
  if (condition.numberIds !== undefined) predicates.push(isAmong('r.number_id', condition.numberIds))
  predicates.push(...oneOf('range_id', condition.rangeIds), ...oneOf('gateway_id', condition.gatewayIds))
  for (const text of [sender, alsoSender]) if (text !== undefined) predicates.push(senderContains(text))
  predicates.push(...settlingPredicates(condition.settling))
  if (search !== undefined) predicates.push(sql`(${sql.join(anyOf(search), sql` or `)})`)
  return predicates
}

function anyOf({ numberIds, clientIds, sender }: SearchBoxKeys): SqlFragment[] {
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
): SqlFragment[] {
  const name = sql.ref(`r.${column}`)
  if (values === undefined) return []
  return [values.length === 1 ? sql`${name} = ${values[0]}` : sql`${name} = any(${values}::int[])`]
}

/** Whether a column has one of these ids. A search can mean tens of thousands of ids: testing a bit is faster than a list. */
export function isAmong(column: string, ids: readonly number[]): SqlFragment {
  const tested = sql.ref(column)
  if (ids.length <= 8) return sql`${tested} = any(${ids}::int[])`
  const bits = Buffer.alloc((Math.max(...chunkMaxima(ids)) >> 3) + 1)
  for (const id of ids) bits[id >> 3] = (bits[id >> 3] ?? 0) | (1 << (id & 7))
  return sql`(${tested} < ${bits.length * 8}::int and get_bit(${bits}::bytea, ${tested}) = 1)`
}

// Math.max takes its arguments on the stack, which is limited.
function chunkMaxima(ids: readonly number[]): number[] {
  const maxima: number[] = []
  for (let start = 0; start < ids.length; start += 10_000)
    maxima.push(Math.max(...ids.slice(start, start + 10_000)))
  return maxima
}

/** Under collation C only ASCII letters have a lower case, as in {@link foldCase}. */
function senderContains(sender: string): SqlFragment {
  return sql`strpos(lower(r.sender collate "C"), ${sender}) > 0`
}

/** Lower case for ASCII letters only, as the database does it in any locale. */
export function foldCase(text: string): string {
  return text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
}
