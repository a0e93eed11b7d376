// Providers, their workers and their dead letters as the API shows them.
import { sql } from 'kysely'
import type {
  DeadLetter,
  DeadLetterReason,
  Provider,
  Worker,
  WorkerStats,
} from '@tollgate/contract/providers/providers.ts'
import type { WorkerStatus } from '@tollgate/contract/vocabulary.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../files/formats/csv.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import { row, rows, type Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { gapSince } from './gaps.ts'
import { fullMapping } from './mapping.ts'
import type { ProviderFields } from './store.ts'

// The same for all keys, so that it does not reveal their length.
const mask = '••••••••'

interface ProviderViewRow extends ProviderFields {
  readonly id: number
  readonly slug: string | null
  readonly hasSecret: boolean
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

const providerQuery = sql`
  select id, slug, name, api_url as "apiUrl", auth_type as "authType", username,
    encrypted_secret is not null as "hasSecret", poll_interval_ms as "pollIntervalMs",
    lookback_ms::float8 as "lookbackMs", gap_alarm_ms::float8 as "gapAlarmMs", start_at as "startAt", time_zone as "timeZone", mapping,
    is_enabled as "isEnabled", version, created_at as "createdAt", updated_at as "updatedAt"
  from providers where deleted_at is null`

export async function viewProviders(db: Db): Promise<Provider[]> {
  return (await rows<ProviderViewRow>(db, sql`${providerQuery} order by created_at, id`)).map(toProvider)
}

export async function viewProvider(db: Db, id: number): Promise<Provider | undefined> {
  const found = await row<ProviderViewRow>(db, sql`${providerQuery} and id = ${id}`)
  return found === undefined ? undefined : toProvider(found)
}

function toProvider(found: ProviderViewRow): Provider {
  const isBasic = found.authType === 'basic'
  const hasApiKey = found.hasSecret && !isBasic
  return {
    id: found.slug ?? String(found.id),
    name: found.name,
    apiUrl: found.apiUrl,
    authType: found.authType,
    username: found.username,
    apiKey: hasApiKey ? mask : '',
    hasApiKey,
    hasPassword: found.hasSecret && isBasic,
    enabled: found.isEnabled,
    pollInterval: found.pollIntervalMs,
    lookback: found.lookbackMs,
    gapAlarm: found.gapAlarmMs,
    startAt: found.startAt?.toISOString() ?? null,
    timeZone: found.timeZone,
    mapping: { ...fullMapping(found.mapping) },
    version: found.version,
    createdAt: found.createdAt.toISOString(),
    updatedAt: found.updatedAt.toISOString(),
  }
}

interface WorkerViewRow {
  readonly id: number
  readonly slug: string | null
  readonly name: string
  readonly status: WorkerStatus
  readonly messageCount: string
  readonly errorCount: string
  readonly uptimeSeconds: number
  readonly lastSyncAt: Date | null
  readonly nextPollAt: Date | null
  readonly lastError: string
  readonly failingSince: Date | null
  readonly newest: Date | null
  readonly gapSince: Date | null
  readonly letterCount: number
  readonly duplicates: number
  readonly node: string
}

// A stored state counts while the lease of its node is alive. Between an order, or the death of a node, and the next
// owner a worker is shown as running for half a minute, then as stopped.
const workerQuery = sql`
  select p.id, p.slug, p.name,
    case when not p.is_enabled then 'stopped'
      when l.name is not null then coalesce(g.status, 'running')
      when greatest(p.enabled_at, x.expires_at) > clock_timestamp() - interval '30 seconds' then 'running'
      else 'stopped' end as status,
    coalesce(g.message_count, 0) as "messageCount", coalesce(g.error_count, 0) as "errorCount",
    case when l.name is null then 0
      else greatest(0, floor(extract(epoch from clock_timestamp() - g.running_since))) end::int as "uptimeSeconds",
    g.last_sync_at as "lastSyncAt", case when l.name is null then null else g.next_poll_at end as "nextPollAt",
    case when l.name is null then '' else coalesce(g.last_error, '') end as "lastError",
    case when l.name is null then null else g.failing_since end as "failingSince",
    coalesce(g.walk_newest, g.newest) as newest, ${gapSince} as "gapSince",
    (
      select count(*)::int from provider_dead_letters d where d.provider_id = p.id and d.dismissed_at is null
    ) as "letterCount",
    coalesce(g.duplicates, 0) as duplicates, case when l.name is null then '' else coalesce(g.node, '') end as node
  from providers p
    left join provider_progress g on g.provider_id = p.id
    left join leases x on x.name = 'provider:' || p.id
    left join leases l on l.name = x.name and l.owner is not null and l.expires_at > clock_timestamp()
      and l.token = g.lease_token and p.is_enabled
  where p.deleted_at is null order by p.created_at, p.id`

/** Spec §3, Worker stats. */
export async function viewWorkers(db: Db): Promise<WorkerStats> {
  const workers = (await rows<WorkerViewRow>(db, workerQuery)).map(toWorker)
  const sum = (of: (worker: Worker) => number) => workers.reduce((total, worker) => total + of(worker), 0)
  return {
    workers,
    overall: {
      totalProviders: workers.length,
      activeProviders: workers.filter(({ status }) => status === 'running').length,
      totalMessagesSynced: sum(({ messagesSynced }) => messagesSynced),
      totalErrors: sum(({ errors }) => errors),
      totalDeadLetters: sum(({ deadLetters }) => deadLetters),
    },
  }
}

function toWorker(found: WorkerViewRow): Worker {
  return {
    providerId: found.slug ?? String(found.id),
    name: found.name,
    status: found.status,
    messagesSynced: Number(found.messageCount),
    errors: Number(found.errorCount),
    uptime: found.uptimeSeconds ?? 0,
    lastSync: found.lastSyncAt?.toISOString() ?? null,
    nextPoll: found.nextPollAt?.toISOString() ?? null,
    lastError: found.lastError,
    failingSince: found.failingSince?.toISOString() ?? null,
    newestRecord: found.newest?.toISOString() ?? null,
    gapSince: found.gapSince?.toISOString() ?? null,
    deadLetters: found.letterCount,
    duplicates: found.duplicates,
    node: found.node,
  }
}

interface LetterViewRow {
  readonly id: string
  readonly reason: DeadLetterReason
  readonly explanation: string
  readonly externalId: string
  readonly number: string
  readonly timestamp: string
  readonly tries: number
  readonly createdAt: Date
  readonly lastTriedAt: Date
}

const letterQuery = sql`
  select id, reason, explanation, external_id as "externalId", number, row_timestamp as timestamp, tries,
    created_at as "createdAt", last_tried_at as "lastTriedAt"
  from provider_dead_letters where dismissed_at is null`

export interface DeadLetterPageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly reason?: DeadLetterReason | undefined
  /** Defaults to newest first. */
  readonly order?: 'asc' | 'desc' | undefined
}

/** A provider's waiting rows. */
export async function viewDeadLetters(db: Db, providerId: number, page: DeadLetterPageQuery) {
  const [last] = readCursor(page.cursor, ['id']) ?? []
  const isOldestFirst = page.order === 'asc'
  const found = await rows<LetterViewRow>(
    db,
    sql`${letterQuery} and provider_id = ${providerId}
        and ${last === undefined ? sql`true` : sql`id ${sql.raw(isOldestFirst ? '>' : '<')} ${last}::bigint`}
        and ${page.reason === undefined ? sql`true` : sql`reason = ${page.reason}`}
        order by id ${sql.raw(isOldestFirst ? 'asc' : 'desc')} limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ id }) => [id])
  return { items: cut.rows.map(toDeadLetter), next: cut.next }
}

const exportColumns: readonly CsvColumn<DeadLetter>[] = [
  ['ID', ({ id }) => id],
  ['Came', ({ createdAt }) => createdAt],
  ['Reason', ({ reason }) => reason],
  ['Explanation', ({ explanation }) => explanation],
  ['Their ID', ({ externalId }) => externalId],
  ['Number', ({ number }) => number],
  ['Timestamp', ({ timestamp }) => timestamp],
  ['Tries', ({ tries }) => String(tries)],
  ['Last Tried', ({ lastTriedAt }) => lastTriedAt],
]

/** A provider's waiting rows as CSV, newest first, without their content. */
export function exportDeadLetters(
  db: Db,
  providerId: number,
  reason: DeadLetterReason | undefined,
): StreamReply {
  return csvOfList('dead-letters.csv', exportColumns, (cursor) =>
    viewDeadLetters(db, providerId, { reason, limit: exportPageRows, cursor }),
  )
}

export async function viewDeadLetter(
  db: Db,
  providerId: number,
  id: string,
): Promise<DeadLetter | undefined> {
  const found = await row<LetterViewRow>(
    db,
    sql`${letterQuery} and provider_id = ${providerId} and id = ${id}::bigint`,
  )
  return found === undefined ? undefined : toDeadLetter(found)
}

function toDeadLetter(found: LetterViewRow): DeadLetter {
  return {
    ...found,
    createdAt: found.createdAt.toISOString(),
    lastTriedAt: found.lastTriedAt.toISOString(),
  }
}
