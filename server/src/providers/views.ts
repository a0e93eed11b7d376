// Providers, their workers and their dead letters as the API shows them.
import { sql } from 'kysely'
import type {
  DeadLetter,
  DeadLetterReason,
  Mapping,
  Provider,
  Worker,
  WorkerStats,
} from '@tollgate/contract/providers/providers.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../files/formats/csv.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import { replyRow, replyRows } from '../http/reply.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { gapSince } from './gaps.ts'
import { fullMapping } from './mapping.ts'

// The same for all keys, so that it does not reveal their length.
const mask = '••••••••'

type StoredProvider = Omit<Provider, 'mapping' | 'hasApiKey'> & { readonly mapping: Mapping }

const providerQuery = sql`
  select coalesce(slug, id::text) as id, name, api_url, auth_type, username,
    case when encrypted_secret is not null and auth_type <> 'basic' then ${mask} else '' end as api_key,
    encrypted_secret is not null and auth_type = 'basic' as has_password, is_enabled as enabled,
    poll_interval_ms as poll_interval, lookback_ms::float8 as lookback, gap_alarm_ms::float8 as gap_alarm, start_at,
    time_zone, mapping, version, created_at, updated_at
  from providers p where deleted_at is null`

export async function viewProviders(db: Db): Promise<Provider[]> {
  return (await replyRows<StoredProvider>(db, sql`${providerQuery} order by p.created_at, p.id`)).map(
    toProvider,
  )
}

export async function viewProvider(db: Db, id: number): Promise<Provider | undefined> {
  const found = await replyRow<StoredProvider>(db, sql`${providerQuery} and p.id = ${id}`)
  return found === undefined ? undefined : toProvider(found)
}

function toProvider(found: StoredProvider): Provider {
  return { ...found, hasApiKey: found.apiKey !== '', mapping: { ...fullMapping(found.mapping) } }
}

// A stored state counts while the lease of its node is alive. Between an order, or the death of a node, and the next
// owner a worker is shown as running for half a minute, then as stopped.
const workerQuery = sql`
  select coalesce(p.slug, p.id::text) as provider_id, p.name,
    case when not p.is_enabled then 'stopped'
      when l.name is not null then coalesce(g.status, 'running')
      when greatest(p.enabled_at, x.expires_at) > clock_timestamp() - interval '30 seconds' then 'running'
      else 'stopped' end as status,
    coalesce(g.message_count, 0)::float8 as messages_synced, coalesce(g.error_count, 0)::float8 as errors,
    case when l.name is null then 0
      else greatest(0, floor(extract(epoch from clock_timestamp() - g.running_since))) end::int as uptime,
    g.last_sync_at as last_sync, case when l.name is null then null else g.next_poll_at end as next_poll,
    case when l.name is null then '' else coalesce(g.last_error, '') end as last_error,
    case when l.name is null then null else g.failing_since end as failing_since,
    case when not p.is_enabled then p.switched_at
      when l.name is not null then coalesce(g.failing_since, greatest(g.status_since, p.switched_at)) end as status_since,
    coalesce(g.walk_newest, g.newest) as newest_record, ${gapSince} as gap_since,
    (
      select count(*)::int from provider_dead_letters d where d.provider_id = p.id and d.dismissed_at is null
    ) as dead_letters,
    coalesce(g.duplicates, 0) as duplicates, case when l.name is null then '' else coalesce(g.node, '') end as node
  from providers p
    left join provider_progress g on g.provider_id = p.id
    left join leases x on x.name = 'provider:' || p.id
    left join leases l on l.name = x.name and l.owner is not null and l.expires_at > clock_timestamp()
      and l.token = g.lease_token and p.is_enabled
  where p.deleted_at is null order by p.created_at, p.id`

/** Spec §3, Worker stats. */
export async function viewWorkers(db: Db): Promise<WorkerStats> {
  const workers = await replyRows<Worker>(db, workerQuery)
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

const letterQuery = sql`
  select id, reason, explanation, external_id, number, row_timestamp as timestamp, tries, created_at, last_tried_at
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
  const found = await replyRows<DeadLetter>(
    db,
    sql`${letterQuery} and provider_id = ${providerId}
        and ${last === undefined ? sql`true` : sql`id ${sql.raw(isOldestFirst ? '>' : '<')} ${last}::bigint`}
        and ${page.reason === undefined ? sql`true` : sql`reason = ${page.reason}`}
        order by id ${sql.raw(isOldestFirst ? 'asc' : 'desc')} limit ${page.limit + 1}`,
  )
  const { rows: items, next } = cutPage(found, page.limit, ({ id }) => [id])
  return { items, next }
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

export function viewDeadLetter(db: Db, providerId: number, id: string): Promise<DeadLetter | undefined> {
  return replyRow(db, sql`${letterQuery} and provider_id = ${providerId} and id = ${id}::bigint`)
}
