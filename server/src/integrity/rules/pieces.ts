// SQL that the rules share: what senders did on the judged day, and what was known before. A judgement is one statement,
// so that each of these tables is made once for all rules.
import { sql, type RawBuilder } from 'kysely'
import type { Usual } from './usual.ts'

/** What a judgement is about. */
export interface Scope {
  readonly clientId: number
  /** The judged day, in UTC. */
  readonly day: string
  /** How many days before it do not count as usual. */
  readonly guardDays: number
  /** For how many days the client has held numbers. */
  readonly ageDays: number
  /** Numbers of the client that somebody else held of late: their history counts too. */
  readonly movedNumbers: readonly number[]
  /** Who held them. */
  readonly formerClients: readonly number[]
  /** What was usual; undefined without two days to tell it from. */
  readonly usual: Usual | undefined
}

/**
 * A number without its last four digits. What is not a telephone number is a block of its own, so a sender that differs
 * from its block is one.
 */
export function blockOf(sender: string): RawBuilder<unknown> {
  const name = sql.ref(sender)
  // A tenth of what a regular expression costs, for each message.
  return sql`case when length(${name}) between 8 and 15 and ltrim(${name}, '0123456789') = '' then left(${name}, -4) else ${name} end`
}

/** The row `b` of `sender_blocks`, by its key: the table has a row for every block that anybody here knows. */
export const joinBlock = (sender: string): RawBuilder<unknown> =>
  sql`left join lateral (select first_day from sender_blocks where block = ${blockOf(sender)} limit 1) b on true`

/** In how many different ten minutes. */
export const slotCount = sql`bit_count(slots)`

// The first ten minutes of each hour.
const hourMask = '100000'.repeat(24)
const folded = [0, 1, 2, 3, 4, 5].map((place) => `slots << ${place}`).join(' | ')

/** In how many different hours: the bits of an hour are folded into its first one. */
export const hourCount = sql.raw(`bit_count((${folded}) & B'${hourMask}')`)

/** How many ten minutes in these hours of the day. */
export function slotsInHours(hours: readonly number[]): RawBuilder<unknown> {
  const mask = Array.from({ length: 24 }, (_, hour) => (hours.includes(hour) ? '111111' : '000000')).join('')
  return sql`bit_count(slots & ${mask}::bit(144))`
}

interface SharedOptions {
  /** Cases of days before this one make their senders no history. */
  readonly heldBefore: RawBuilder<unknown>
  /** Also leaves out these senders' messages of the day itself. */
  readonly withoutHeld: boolean
}

// Four weeks beyond the guard band.
export const historyDays = 35
// So many new senders of one block who nearly all write once, within so short a time, and for the first time ever, are people
// of one place, such as a company at lunch. Each has that one message: who comes again is judged as anybody else.
const placeSendersMin = 20
const placeTime = sql`interval '1 hour'`
const nearlyAll = 0.9
// What a hold of so long ago names is no longer in the history.
const casesDays = 63

/**
 * The tables: `held` (senders of holds), `rows_today` (sender and number), `today` (sender), `history` (earlier days of
 * the client and of the numbers that it has now, without what was held), `known` (senders of it), `of_place` (new
 * senders who are people of one place).
 */
export function sharedTables(scope: Scope, { heldBefore, withoutHeld }: SharedOptions): RawBuilder<unknown> {
  const { clientId, day, guardDays, movedNumbers, formerClients } = scope
  const isUsual = sql`day between ${day}::date - ${historyDays}::int and ${day}::date - ${guardDays}::int`
  return sql`
    held as materialized (
      select distinct c.client_id, m.sender from integrity_cases c join integrity_members m on m.case_id = c.id
      where c.level = 'hold' and c.day < ${heldBefore} and c.day >= ${day}::date - ${casesDays}::int
    ),
    rows_today as materialized (
      select sender, number_id, message_count, slots, first_at from sender_days
      where client_id = ${clientId}::int and day = ${day}::date and not (${withoutHeld}::boolean
        and sender in (select held.sender from held where held.client_id = ${clientId}::int))
    ),
    today as materialized (
      select sender, ${blockOf('sender')} as block, sum(message_count) as message_count, bit_or(slots) as slots,
        min(first_at) as first_at
      from rows_today group by sender
    ),
    history as materialized (
      select s.day, s.number_id, s.sender, s.message_count, s.slots from (
        select client_id, day, number_id, sender, message_count, slots from sender_days
        where client_id = ${clientId}::int and ${isUsual}
        union all
        select client_id, day, number_id, sender, message_count, slots from sender_days
        where client_id = any(${[...formerClients]}::int[]) and number_id = any(${[...movedNumbers]}::int[]) and ${isUsual}
      ) s
      where not exists (select from held where held.client_id = s.client_id and held.sender = s.sender)
    ),
    known as materialized (select sender, count(*) from history group by sender),
    lately as (
      select sender from sender_days where client_id = ${clientId}::int and day < ${day}::date
        and day > ${day}::date - ${guardDays}::int
    ),
    of_place as materialized (
      select unnest(senders) as sender from (
        select array_agg(sender) as senders from today
        where block <> sender and sender not in (select known.sender from known) group by block
        having count(*) >= ${placeSendersMin}::int
          and percentile_disc(${nearlyAll}::float8) within group (order by message_count) = 1
          and percentile_disc(${nearlyAll}::float8) within group (order by first_at)
            - percentile_disc(${1 - nearlyAll}::float8) within group (order by first_at) < ${placeTime}
          and avg((sender not in (select lately.sender from lately))::int) >= ${nearlyAll}::float8
      ) found
    )`
}
