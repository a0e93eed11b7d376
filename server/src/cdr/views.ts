// Schedules and files as the API shows them.
import type { CdrDestination, CdrFile, CdrFileState, CdrSchedule } from '@tollgate/contract/cdr/cdr.ts'
import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'
import type { PageReply } from '../http/handlers.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'

interface ScheduleViewRow {
  readonly id: number
  readonly name: string
  readonly every: CdrSchedule['every']
  readonly format: CdrSchedule['format']
  readonly columns: string
  readonly client: string | null
  readonly gateway: string | null
  readonly destination: CdrDestination
  readonly hasSecret: boolean
  readonly isPaused: boolean
  readonly nextAt: Date
  readonly waiting: number
  readonly failingSince: Date | null
  readonly attempts: number | null
  readonly error: string | null
  readonly nextAttemptAt: Date | null
  readonly lastName: string | null
  readonly lastAt: Date | null
  readonly lastCount: string | null
  readonly version: number
  readonly createdAt: Date
}

const scheduleQuery = sql`
  select s.id, s.name, s.every, s.format, s.columns, u.username as client, g.name as gateway, s.destination,
    s.encrypted_secret is not null as "hasSecret", s.is_paused as "isPaused", s.period_to as "nextAt",
    (select count(*)::int from cdr_files w where w.schedule_id = s.id and w.state = 'waiting') as waiting,
    f.failing_since as "failingSince", f.attempts, f.error, f.next_attempt_at as "nextAttemptAt",
    d.name as "lastName", d.delivered_at as "lastAt", d.record_count as "lastCount", s.version,
    s.created_at as "createdAt"
  from cdr_schedules s
    left join users u on u.id = s.client_id left join gateways g on g.id = s.gateway_id
    left join lateral (
      select * from cdr_files w where w.schedule_id = s.id and w.state = 'waiting' order by w.sequence limit 1
    ) f on true
    left join lateral (
      select * from cdr_files w where w.schedule_id = s.id and w.state = 'delivered' order by w.id desc limit 1
    ) d on true`

/** All schedules by name, without secrets. */
export async function viewSchedules(db: Db): Promise<CdrSchedule[]> {
  return (await rows<ScheduleViewRow>(db, sql`${scheduleQuery} order by lower(s.name)`)).map(toSchedule)
}

export async function viewSchedule(db: Db, id: number): Promise<CdrSchedule | undefined> {
  const found = await row<ScheduleViewRow>(db, sql`${scheduleQuery} where s.id = ${id}`)
  return found && toSchedule(found)
}

function toSchedule(found: ScheduleViewRow): CdrSchedule {
  const { failingSince, attempts, error, nextAttemptAt, lastName, lastAt, lastCount, ...fields } = found
  return {
    ...fields,
    id: String(found.id),
    nextAt: found.nextAt.toISOString(),
    createdAt: found.createdAt.toISOString(),
    failing:
      failingSince === null
        ? null
        : {
            since: failingSince.toISOString(),
            attempts: attempts ?? 0,
            error: error ?? '',
            nextAttemptAt: (nextAttemptAt ?? failingSince).toISOString(),
          },
    lastDelivered:
      lastName === null || lastAt === null
        ? null
        : { name: lastName, at: lastAt.toISOString(), recordCount: Number(lastCount ?? 0) },
  }
}

interface FileViewRow {
  readonly id: string
  readonly sequence: number
  readonly name: string
  readonly state: CdrFileState
  readonly periodFrom: Date
  readonly periodTo: Date
  readonly recordCount: string | null
  readonly sizeBytes: string | null
  readonly sha256: string | null
  readonly attempts: number
  readonly error: string
  readonly nextAttemptAt: Date
  readonly deliveredAt: Date | null
}

const fileQuery = sql`
  select id, sequence, name, state, period_from as "periodFrom", period_to as "periodTo", record_count as "recordCount",
    size_bytes as "sizeBytes", sha256, attempts, error, next_attempt_at as "nextAttemptAt", delivered_at as "deliveredAt"
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
  const found = await rows<FileViewRow>(
    db,
    sql`${fileQuery} where schedule_id = ${scheduleId}
          and ${before === undefined ? sql`true` : sql`id < ${before}::bigint`}
          and ${page.state === undefined ? sql`true` : sql`state = ${page.state}`}
        order by id desc limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ id }) => [id])
  return { items: cut.rows.map(toFile), next: cut.next }
}

export async function viewFile(db: Db, id: string): Promise<CdrFile | undefined> {
  const found = await row<FileViewRow>(db, sql`${fileQuery} where id = ${id}`)
  return found && toFile(found)
}

const numberOf = (count: string | null) => (count === null ? null : Number(count))

function toFile(found: FileViewRow): CdrFile {
  return {
    ...found,
    periodFrom: found.periodFrom.toISOString(),
    periodTo: found.periodTo.toISOString(),
    recordCount: numberOf(found.recordCount),
    sizeBytes: numberOf(found.sizeBytes),
    nextAttemptAt: found.state === 'waiting' ? found.nextAttemptAt.toISOString() : null,
    deliveredAt: found.deliveredAt?.toISOString() ?? null,
  }
}
