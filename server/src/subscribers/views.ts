// What is stored under a sender, by table: read-only, a page at a time.
import { sql, type RawBuilder } from 'kysely'
import type { SubscriberKind } from '@tollgate/contract/subscribers/subscribers.ts'
import { rows, type Db } from '../platform/db.ts'

/** A line of the export, without its kind. */
export type StoredLine = Readonly<Record<string, unknown>>

/** A table with a column of senders. */
interface SenderTable {
  /** Columns of the export. */
  readonly columns: RawBuilder<unknown>
  readonly from: RawBuilder<unknown>
  /** Whether a row is the sender's. */
  readonly isOf: (forms: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Its key: what pages are ordered by, each with its type. */
  readonly key: readonly (readonly [column: string, type: string])[]
}

const equals = (column: string) => (forms: RawBuilder<unknown>) => sql`${sql.raw(column)} = any(${forms})`
const usd = (column: string) => sql.raw(`(${column}::numeric / 1000000)::numeric(20, 6)::text`)

const tables = {
  refusedMessage: {
    columns: sql`m.minute, m.number, m.sender, g.name as gateway, m.reason, m.refused_count as "messageCount"`,
    from: sql`refused_messages m left join gateways g on g.id = m.gateway_id`,
    isOf: equals('m.sender'),
    key: [
      ['m.minute', 'timestamptz'],
      ['m.gateway_id', 'int'],
      ['m.number', 'text'],
      ['m.sender', 'text'],
      ['m.reason', 'text'],
      ['m.command_status', 'bigint'],
    ],
  },
  senderDay: {
    columns: sql`d.day, n.number, d.sender, u.username as client, d.message_count as "messageCount",
      ${usd('d.amount_micro')} as "amountUsd", d.first_at as "firstAt", d.last_at as "lastAt"`,
    from: sql`sender_days d left join numbers n on n.id = d.number_id left join users u on u.id = d.client_id`,
    isOf: equals('d.sender'),
    key: [
      ['d.sender', 'text'],
      ['d.day', 'date'],
      ['d.client_id', 'int'],
      ['d.number_id', 'int'],
    ],
  },
  case: {
    columns: sql`m.sender, c.id as "caseId", c.rule, c.day, u.username as client, c.level, c.state`,
    from: sql`integrity_members m join integrity_cases c on c.id = m.case_id join users u on u.id = c.client_id`,
    isOf: equals('m.sender'),
    key: [
      ['m.case_id', 'bigint'],
      ['m.sender', 'text'],
    ],
  },
  listedSender: {
    columns: sql`l.sender, l.reason, l.until_day as "untilDay", u.username as "listedBy", l.listed_at as "listedAt",
      l.removed_at as "removedAt", l.removal_reason as "removalReason"`,
    from: sql`listed_senders l join users u on u.id = l.listed_by`,
    // A block is of ten thousand numbers, and nobody's.
    isOf: (forms) => sql`not l.is_block and l.sender = any(${forms})`,
    key: [['l.id', 'bigint']],
  },
  disputeLine: {
    columns: sql`d.carrier, l.dispute_id as "disputeId", l.line, l.number, l.sender, l.from_at as "from", l.until_at as "until",
      l.claimed_count as "claimedCount", l.matched_count as "messageCount"`,
    from: sql`carrier_dispute_lines l join carrier_disputes d on d.id = l.dispute_id`,
    isOf: equals('l.sender'),
    key: [
      ['l.dispute_id', 'bigint'],
      ['l.line', 'int'],
    ],
  },
  disputedRecord: {
    columns: sql`d.record_created_at as "createdAt", d.dispute_id as "disputeId", n.number, d.sender, u.username as client,
      ${usd('d.amount_micro')} as "amountUsd"`,
    from: sql`disputed_records d left join numbers n on n.id = d.number_id left join users u on u.id = d.client_id`,
    isOf: equals('d.sender'),
    key: [['d.record_id', 'bigint']],
  },
  backTestSender: {
    columns: sql`s.back_test_id as "backTestId", s.sender, s.rule, u.username as client, s.from_day as "fromDay",
      s.until_day as "untilDay"`,
    from: sql`back_test_senders s left join users u on u.id = s.client_id`,
    isOf: equals('s.sender'),
    key: [
      ['s.back_test_id', 'bigint'],
      ['s.client_id', 'int'],
      ['s.rule', 'text'],
      ['s.sender', 'text'],
      ['s.until_day', 'date'],
    ],
  },
  sentMessage: {
    columns: sql`s.created_at as "createdAt", c.name as connection, s.sender, s.recipient, s.status`,
    from: sql`connection_sends s join smpp_connections c on c.id = s.connection_id`,
    isOf: (forms) => sql`(s.recipient = any(${forms}) or s.sender = any(${forms}))`,
    key: [['s.id', 'bigint']],
  },
  recordedPdu: {
    columns: sql`p.at, p.link, p.direction, p.command, p.fields`,
    from: sql`flight_pdus p`,
    // The recorder keeps some thousand PDUs for an hour.
    isOf: (forms) => sql`exists (select from unnest(${forms}) f where p.fields::text like '%"' || f || '"%')`,
    key: [['p.id', 'bigint']],
  },
} satisfies Partial<Record<SubscriberKind, SenderTable>>

const longMessages: SenderTable = {
  columns: sql`m.created_at as "createdAt", n.number, m.sender, m.total as parts, m.ended_at as "endedAt"`,
  from: sql`long_messages m left join numbers n on n.id = m.number_id`,
  isOf: equals('m.sender'),
  key: [['m.id', 'bigint']],
}

/** The tables that are searched by the sender alone. */
export type SenderKind = keyof typeof tables
export const senderKinds = Object.keys(tables) as SenderKind[]

const pageRows = 500

/** What a table has of a sender, a page at a time. */
export function rowsOfSender(
  db: Db,
  kind: SenderKind,
  forms: readonly string[],
): AsyncGenerator<StoredLine[]> {
  return walk(db, tables[kind], tables[kind].isOf(sql`${forms}::text[]`))
}

/** The long messages of a sender to these numbers, by which they are found. */
export function longMessagesOfSender(
  db: Db,
  forms: readonly string[],
  numberIds: readonly number[],
): AsyncGenerator<StoredLine[]> {
  return walk(
    db,
    longMessages,
    sql`m.number_id = any(${numberIds}::int[]) and ${longMessages.isOf(sql`${forms}::text[]`)}`,
  )
}

async function* walk(
  db: Db,
  { columns, from, key }: SenderTable,
  condition: RawBuilder<unknown>,
): AsyncGenerator<StoredLine[]> {
  const names = sql.raw(key.map(([column]) => column).join(', '))
  const texts = sql.raw(key.map(([column]) => `${column}::text`).join(', '))
  let after: RawBuilder<unknown> = sql`true`
  for (;;) {
    const page = await rows<{ data: StoredLine; place: readonly string[] }>(
      db,
      sql`select to_jsonb(found) - 'place' as data, place from (
            select ${columns}, array[${texts}] as place from ${from}
            where ${condition} and ${after} order by ${names} limit ${pageRows}::int
          ) found`,
    )
    yield page.map(({ data }) => data)
    const last = page.at(-1)
    if (last === undefined || page.length < pageRows) return
    const values = key.map(([, type], nth) => sql`${last.place[nth]}::text::${sql.raw(type)}`)
    after = sql`(${names}) > (${sql.join(values)})`
  }
}
