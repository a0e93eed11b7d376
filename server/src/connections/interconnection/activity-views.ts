// The activity log: events of connections and endpoints, and what people did to them.
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import type { Activity, activityTones, LinkKind } from '@tollgate/contract/connections/interconnection.ts'
import { detailed, inEnglish, quote, sentence, type Sentence } from '@tollgate/contract/sentences.ts'
import { sql } from 'kysely'
import { csvOfList, type CsvColumn } from '../../files/formats/csv.ts'
import { cutPage, readCursor } from '../../http/lists/cursor.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { StreamReply } from '../../http/handlers.ts'

interface ActivityRow {
  readonly key: string
  readonly at: Date
  /** Microseconds: with the milliseconds of a JavaScript date, rows would repeat or be skipped between two pages. */
  readonly micros: string
  readonly kind: LinkKind
  readonly objectId: string
  readonly name: string
  readonly event: string
  readonly errorCode: number | null
  readonly detail: string
  readonly by: string
}

interface ActivityQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly kind?: LinkKind | undefined
  /** Default: newest first. */
  readonly order?: 'asc' | 'desc' | undefined
}

const shownFor = sql.raw(`interval '30 days'`)

// Each subquery reads at most one page and a little more, by an index. Their union is sorted and cut to the page.
export async function viewActivity(db: Db, query: ActivityQuery) {
  const [micros, key] = readCursor(query.cursor, ['id', 'text']) ?? []
  const isOldestFirst = query.order === 'asc'
  const direction = sql.raw(isOldestFirst ? 'asc' : 'desc')
  const comparison = sql.raw(isOldestFirst ? '>' : '<')
  const within = (keyed: string) => sql`
    ${sql.raw(keyed)}.at > clock_timestamp() - ${shownFor}
    and ${
      micros === undefined
        ? sql`true`
        : sql`${sql.raw(keyed)}.at ${comparison}= 'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond'`
    }`
  // Rows with the cursor's own time may come before the cursor: 50 extra rows replace those that are skipped.
  const rowsMax = query.limit + 1 + 50
  const found = await rows<ActivityRow>(
    db,
    sql`
      with connection_part as (
        select 'c' || lpad(e.id::text, 18, '0') as key, e.at, 'connection' as kind, e.connection_id::text as object_id,
          e.name, e.event, e.error_code, trim(e.detail || ' (' || e.node || ')') as detail,
          '' as by
        from connection_events e where ${within('e')} and ${query.kind !== 'endpoint'}::boolean
        order by e.at ${direction}, e.id ${direction} limit ${rowsMax}
      ), endpoint_part as (
        select 'e' || lpad(e.id::text, 18, '0') as key, e.at, 'endpoint' as kind, e.endpoint_id::text as object_id, e.name,
          e.event, null::int as error_code, e.detail, '' as by
        from endpoint_events e where ${within('e')} and ${query.kind !== 'connection'}::boolean
        order by e.at ${direction}, e.id ${direction} limit ${rowsMax}
      ), audit_part as (
        select 'a' || lpad(a.id::text, 18, '0') as key, a.at, a.object_type as kind, a.object_id,
          coalesce(c.name, p.name, a.before ->> 'name', a.after ->> 'name', '') as name, a.action as event,
          null::int as error_code,
          case when a.after ? 'success' then a.after ->> 'success' when a.after ? 'count' then a.after ->> 'count'
            else '' end as detail,
          a.actor as by
        from audit_entries a
          left join smpp_connections c on a.object_type = 'connection' and c.id::text = a.object_id
          left join endpoints p on a.object_type = 'endpoint' and p.id::text = a.object_id
        where a.object_type in ('connection', 'endpoint') and ${within('a')}
          and ${query.kind === undefined ? sql`true` : sql`a.object_type = ${query.kind}`}
        order by a.at ${direction}, a.id ${direction} limit ${rowsMax}
      ), everything as (
        select * from connection_part union all select * from endpoint_part union all select * from audit_part
      ), placed as (
        select *, round(extract(epoch from at) * 1000000)::bigint as micros from everything
      )
      select key, at, micros, kind, object_id as "objectId", name, event, error_code as "errorCode", detail, by
      from placed
      where ${micros === undefined ? sql`true` : sql`(micros, key) ${comparison} (${micros}::bigint, ${key ?? ''}::text)`}
      order by micros ${direction}, key ${direction} limit ${query.limit + 1}`,
  )
  const cut = cutPage(found, query.limit, (row) => [row.micros, row.key])
  return { items: cut.rows.map(toActivity), next: cut.next }
}

const exportColumns: readonly CsvColumn<Activity>[] = [
  ['Date & Time', ({ at }) => at],
  ['Kind', ({ kind }) => kind],
  ['Name', ({ name }) => name],
  ['Event', ({ title }) => title],
  ['Detail', ({ detail }) => detail],
  ['By', ({ by }) => by],
]

/** The activity of a kind, or of all, as CSV, newest first. */
export function exportActivity(db: Db, kind: LinkKind | undefined): StreamReply {
  return csvOfList('activity-log.csv', exportColumns, (cursor) =>
    viewActivity(db, { kind, limit: 500, cursor }),
  )
}

type Tone = (typeof activityTones)[number]
type TitleAndTone = readonly [title: Sentence, tone: Tone]

// Title and tone of each event. Spec §8: error code 14 means invalid password; its text comes with the event.
const titles: Readonly<Record<string, TitleAndTone>> = {
  connected: [sentence('Connected'), 'ok'],
  connecting: [sentence('Connecting'), 'info'],
  lost: [sentence('Connection lost'), 'warn'],
  failed: [sentence('Connection failed'), 'bad'],
  disconnected: [sentence('Disconnected'), 'idle'],
  failing: [sentence('Deliveries fail'), 'bad'],
  recovered: [sentence('Deliveries succeed again'), 'ok'],
  switched_off: [sentence('Switched off'), 'bad'],
  'connection.create': [sentence('Connection added'), 'info'],
  'connection.edit': [sentence('Connection changed'), 'info'],
  'connection.delete': [sentence('Connection deleted'), 'idle'],
  'connection.connect': [sentence('Connect ordered'), 'info'],
  'connection.disconnect': [sentence('Disconnect ordered'), 'info'],
  'connection.restart': [sentence('Restart ordered'), 'info'],
  'connection.send': [sentence('Test SMS sent'), 'info'],
  'connection.test': [sentence('Tested'), 'info'],
  'endpoint.create': [sentence('Endpoint added'), 'info'],
  'endpoint.update': [sentence('Endpoint changed'), 'info'],
  'endpoint.delete': [sentence('Endpoint deleted'), 'idle'],
  'endpoint.test': [sentence('Tested'), 'info'],
  'endpoint.replay': [sentence('Deliveries replayed'), 'info'],
  'endpoint.rotate_secret': [sentence('Signing secret renewed'), 'info'],
}

const passed = sentence('Test Successful')
const failed = sentence('Test Failed')

function toActivity(row: ActivityRow): Activity {
  const { key, at, kind, objectId, name, event, errorCode, by } = row
  const [title, tone] = titles[event] ?? [quote(event), 'idle']
  const isTest = event.endsWith('.test')
  const isPassed = row.detail === 'true'
  return {
    id: key,
    at: at.toISOString(),
    kind,
    objectId,
    name,
    title: inEnglish(isTest ? (isPassed ? passed : failed) : title),
    ...(isTest ? { detail: '' } : detailOf(row, errorCode)),
    tone: isTest ? (isPassed ? 'ok' : 'bad') : tone,
    by,
  }
}

function detailOf(
  { event, detail }: ActivityRow,
  errorCode: number | null,
): Pick<Activity, 'detail' | 'detailWords'> {
  return detailed(wordsOf(event, detail, errorCode) ?? detail)
}

function wordsOf(event: string, detail: string, errorCode: number | null): Sentence | undefined {
  if (event === 'endpoint.replay')
    return detail === '1' ? sentence('1 delivery') : sentence('{count} deliveries', { count: Number(detail) })
  if (errorCode === null) return undefined
  const text = { text: detail === '' ? statusText(errorCode) : detail }
  return sentence('Error Code {code}: {text}', { code: String(errorCode), text })
}
