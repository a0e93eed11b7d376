// Schedules and files as the API shows them.
import type { CdrFile, CdrFileState, CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { sql } from 'kysely'
import { isoOf, replyRow, replyRows } from '../http/reply.ts'
import type { Db } from '../platform/db.ts'
import type { PageReply } from '../http/handlers.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'

const scheduleQuery = sql`
  select s.id::text as id, s.name, s.every, s.format, s.columns, u.username as client, g.name as gateway, s.destination,
    s.encrypted_secret is not null as has_secret, s.is_paused, s.period_to as next_at,
    (select count(*)::int from cdr_files w where w.schedule_id = s.id and w.state = 'waiting') as waiting,
    case when f.failing_since is not null then json_build_object('since', ${isoOf('f.failing_since')},
      'attempts', f.attempts, 'error', f.error, 'nextAttemptAt', ${isoOf('f.next_attempt_at')}) end as failing,
    case when d.id is not null then json_build_object('name', d.name, 'at', ${isoOf('d.delivered_at')},
      'recordCount', coalesce(d.record_count, 0)) end as last_delivered, s.version, s.created_at
  from cdr_schedules s
    left join users u on u.id = s.client_id left join gateways g on g.id = s.gateway_id
    left join lateral (
      select * from cdr_files w where w.schedule_id = s.id and w.state = 'waiting' order by w.sequence limit 1
    ) f on true
    left join lateral (
      select * from cdr_files w where w.schedule_id = s.id and w.state = 'delivered' order by w.id desc limit 1
    ) d on true`

/** All schedules by name, without secrets. */
export function viewSchedules(db: Db): Promise<CdrSchedule[]> {
  return replyRows(db, sql`${scheduleQuery} order by lower(s.name)`)
}

export function viewSchedule(db: Db, id: number): Promise<CdrSchedule | undefined> {
  return replyRow(db, sql`${scheduleQuery} where s.id = ${id}`)
}

const fileQuery = sql`
  select id, sequence, name, state, period_from, period_to, record_count::float8 as record_count,
    size_bytes::float8 as size_bytes, sha256, attempts, error,
    case when state = 'waiting' then next_attempt_at end as next_attempt_at, delivered_at
  from cdr_files`

export interface FilePageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly state?: CdrFileState | undefined
}

/** The files of a schedule, newest first. */
export async function viewFiles(
  db: Db,
  scheduleId: number,
  page: FilePageQuery,
): Promise<PageReply<CdrFile[]>> {
  const [before] = readCursor(page.cursor, ['id']) ?? []
  const found = await replyRows<CdrFile>(
    db,
    sql`${fileQuery} where schedule_id = ${scheduleId}
          and ${before === undefined ? sql`true` : sql`id < ${before}::bigint`}
          and ${page.state === undefined ? sql`true` : sql`state = ${page.state}`}
        order by id desc limit ${page.limit + 1}`,
  )
  const { rows: items, next } = cutPage(found, page.limit, ({ id }) => [id])
  return { items, next }
}

export function viewFile(db: Db, id: string): Promise<CdrFile | undefined> {
  return replyRow(db, sql`${fileQuery} where id = ${id}`)
}
