// Refused messages that match the filters of records. They are no records: nothing here counts them.
import { sql } from 'kysely'
import { searchedDigits, normaliseNumber } from '@tollgate/contract/fields.ts'
import {
  refusedMessagesMax,
  type RefusedFilters,
  type RefusedMessageView,
} from '@tollgate/contract/records/refused-messages.ts'
import { staffRefusalReasons } from '@tollgate/contract/vocabulary.ts'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import { rows } from '../../platform/db.ts'
import { conjunctionOf, foldCase, partsOf, type SqlFragment } from '../query/condition.ts'
import type { ReadDeps } from './list-records.ts'
import { spansOf, windowOf } from './resolve-filters.ts'

interface RefusedRow {
  readonly minute: Date
  readonly lastAt: Date
  readonly count: number
  readonly number: string
  readonly sender: string
  readonly gateway: string
  readonly reason: string
  readonly status: string
}

/** The newest of them. Throws Refusal invalid as the list of records does. */
export async function listRefusedMessages(
  { db, clock }: ReadDeps,
  filters: RefusedFilters,
): Promise<RefusedMessageView[]> {
  const found = await rows<RefusedRow>(
    db,
    sql`select r.minute, r.last_at as "lastAt", r.refused_count::float8 as count, r.number, r.sender,
          coalesce(g.name, '') as gateway, r.reason, r.command_status as status
        from refused_messages r left join gateways g on g.id = r.gateway_id
        where ${conjunctionOf([...within(filters, clock.now()), ...named(filters)])}
        order by r.minute desc, r.last_at desc, r.number limit ${refusedMessagesMax}`,
  )
  return found.map(({ minute, lastAt, reason, status, ...rest }) => ({
    ...rest,
    at: minute.toISOString(),
    lastAt: lastAt.toISOString(),
    // The word of a later version is told as a fault of the PDU; its status says the rest.
    reason: staffRefusalReasons.find((known) => known === reason) ?? 'malformed',
    status: Number(status),
    statusText: status === '0' ? '' : statusText(Number(status)),
  }))
}

/** A minute may have begun before a window does. */
function within(filters: RefusedFilters, now: Date): SqlFragment[] {
  const spans = spansOf(filters, now)
  const parts = partsOf({ ...windowOf(filters, spans), spans })
  const some = parts.map(({ from, to }) =>
    conjunctionOf([
      ...(from === undefined
        ? []
        : [sql`r.minute > ${from}::timestamptz - interval '1 minute'`, sql`r.last_at >= ${from}`]),
      ...(to === undefined ? [] : [sql`r.minute < ${to}`]),
    ]),
  )
  return some.length === 0
    ? [sql`false`]
    : [
        sql`(${sql.join(
          some.map((one) => sql`(${one})`),
          sql` or `,
        )})`,
      ]
}

function named({ search = '', sender = '', number = '', gateway = '' }: RefusedFilters): SqlFragment[] {
  return [
    ...(gateway === '' || gateway === 'all' ? [] : [sql`g.name = ${gateway}`]),
    ...(number === '' ? [] : [sql`r.number = ${normaliseNumber(number)}`]),
    ...(sender === '' ? [] : [contains('sender', sender)]),
    ...(search === '' ? [] : [sql`(${contains('sender', search)} or ${contains('number', search)})`]),
  ]
}

function contains(column: 'sender' | 'number', text: string): SqlFragment {
  return sql`strpos(lower(${sql.ref(`r.${column}`)} collate "C"), ${foldCase(searchedDigits(text) ?? text)}) > 0`
}
