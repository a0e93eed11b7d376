// Endpoints and their deliveries as the API shows them.
import { sql } from 'kysely'
import type { Delivery, deliveryStatuses, EndpointAttempt } from '@tollgate/contract/endpoints/deliveries.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import { replyRow, replyRows } from '../http/reply.ts'
import { onlyRow, type Db } from '../platform/db.ts'
import { messageIdOf } from '../ingest/index.ts'
import { deliverySettingKey } from './delivery-switch.ts'
import { maskedSecret } from './signature.ts'

const endpointQuery = sql`
  select e.id::text as id, e.name, e.url as endpoint, e.method, ${maskedSecret}::text as api_key, e.rate_limit, e.status, e.events,
    e.verified_at, e.status_reason, e.user_id, coalesce(u.username, '') as client, e.last_used_at as last_used, e.failing_since,
    case when e.status = 'active' then coalesce(e.failing_since, e.state_since) else e.state_since end as state_since,
    e.request_count::float8 as total_requests,
    case when e.request_count = 0 then 0 else round(e.success_count * 1000.0 / e.request_count) / 10 end::float8 as success_rate,
    (select count(*)::int from endpoint_deliveries d where d.endpoint_id = e.id and d.status = 'pending') as waiting,
    e.version, e.created_at, e.updated_at
  from endpoints e left join users u on u.id = e.user_id`

/** The endpoints of one client, or all of them, by id; their secrets masked. */
export function viewEndpoints(db: Db, userId?: number): Promise<Endpoint[]> {
  const whose = userId === undefined ? sql`true` : sql`e.user_id = ${userId}`
  return replyRows(db, sql`${endpointQuery} where ${whose} order by e.id`)
}

export function viewEndpoint(db: Db, id: number): Promise<Endpoint | undefined> {
  return replyRow(db, sql`${endpointQuery} where e.id = ${id}`)
}

export interface DeliveryQueue {
  readonly waitingCount: number
  /** The due time of the oldest delivery without an attempt, among endpoints that are active. */
  readonly oldestDueAt: Date | null
  /** Whether some node sends deliveries. */
  readonly isOwned: boolean
  readonly isDelivering: boolean
}

/** The state of all deliveries together. */
export async function viewDeliveryQueue(db: Db): Promise<DeliveryQueue> {
  const found = await onlyRow<DeliveryQueue>(
    db,
    sql`
      select
        (select count(*)::int from endpoint_deliveries where status = 'pending') as "waitingCount",
        (select min(due) from endpoints e, lateral (
          select min(d.next_attempt_at) as due from endpoint_deliveries d
          where d.endpoint_id = e.id and d.status = 'pending' and d.attempts = 0
            and d.next_attempt_at <= clock_timestamp()
        ) as oldest where e.status = 'active') as "oldestDueAt",
        exists (
          select from leases where name = 'endpoints' and owner is not null and expires_at > clock_timestamp()
        ) as "isOwned",
        not exists (select from settings where key = ${deliverySettingKey} and value = 'paused') as "isDelivering"`,
  )
  return found
}

type StoredDelivery = Omit<Delivery, 'webhookId' | 'recordId'> & {
  readonly recordCreatedAt: string | null
  readonly recordId: string | null
}

const deliveryQuery = sql`
  select id, type, record_created_at, record_id, subject, status, attempts, response_status, error, created_at,
    last_attempt_at as last_attempt, next_attempt_at as next_attempt
  from endpoint_deliveries`

/** The id in the `webhook-id` header. It is the delivery's own: the same at each attempt and from each node. */
export function webhookIdOf(deliveryId: string): string {
  return `msg_${deliveryId}`
}

export interface DeliveryPageQuery {
  readonly limit: number
  readonly cursor?: string | undefined
  readonly status?: (typeof deliveryStatuses)[number] | undefined
}

/** The deliveries of an endpoint, newest first. */
export async function viewDeliveries(db: Db, endpointId: number, page: DeliveryPageQuery) {
  const [before] = readCursor(page.cursor, ['id']) ?? []
  const found = await replyRows<StoredDelivery>(
    db,
    sql`${deliveryQuery} where endpoint_id = ${endpointId}
        and ${before === undefined ? sql`true` : sql`id < ${before}::bigint`}
        and ${page.status === undefined ? sql`true` : sql`status = ${page.status}`}
        order by id desc limit ${page.limit + 1}`,
  )
  const cut = cutPage(found, page.limit, ({ id }) => [id])
  return { items: cut.rows.map(toDelivery), next: cut.next }
}

export async function viewDelivery(db: Db, endpointId: number, id: string): Promise<Delivery | undefined> {
  const query = sql`${deliveryQuery} where endpoint_id = ${endpointId} and id = ${id}::bigint`
  const found = await replyRow<StoredDelivery>(db, query)
  return found && toDelivery(found)
}

function toDelivery({ recordCreatedAt: at, recordId: id, ...delivery }: StoredDelivery): Delivery {
  const recordId =
    at === null || id === null ? '' : messageIdOf({ createdAtMs: Date.parse(at), recordId: Number(id) })
  const subject = recordId === '' ? delivery.subject : recordId
  return { ...delivery, webhookId: webhookIdOf(delivery.id), subject, recordId }
}

// A delivery has 13 attempts; each replay adds as many.
const attemptsShownMax = 30

/** The latest attempts of a delivery, the newest first. One that was accepted is told by the delivery itself. */
export function viewAttempts(db: Db, deliveryId: string): Promise<EndpointAttempt[]> {
  return replyRows(
    db,
    sql`select at, duration_ms, response_status, error,
          case when answer_headers is not null or answer_body is not null then jsonb_build_object(
            'headers', coalesce(answer_headers, '[]'), 'body', coalesce(answer_body, '')) end as answer
        from endpoint_attempts where delivery_id = ${deliveryId}::bigint
        union all
        select last_attempt_at, coalesce(duration_ms, 0), response_status, '', null
        from endpoint_deliveries
        where id = ${deliveryId}::bigint and status = 'delivered' and last_attempt_at is not null
        order by 1 desc limit ${attemptsShownMax}`,
  )
}
