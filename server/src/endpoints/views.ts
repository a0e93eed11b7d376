// Endpoints and their deliveries as the API shows them.
import { sql } from 'kysely'
import type {
  Delivery,
  deliveryStatuses,
  DeliveryType,
  EndpointAttempt,
  EndpointEventName,
} from '@tollgate/contract/endpoints/deliveries.ts'
import type { Endpoint } from '@tollgate/contract/endpoints/endpoints.ts'
import type { EndpointMethod, EndpointStatus } from '@tollgate/contract/vocabulary.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { messageIdOf } from '../ingest/index.ts'
import { deliverySettingKey } from './delivery-switch.ts'
import { maskedSecret } from './signature.ts'

interface EndpointViewRow {
  readonly id: number
  readonly name: string
  readonly endpoint: string
  readonly method: EndpointMethod
  readonly rateLimit: number
  readonly status: EndpointStatus
  readonly events: EndpointEventName[]
  readonly verifiedAt: Date | null
  readonly statusReason: string
  readonly userId: number | null
  readonly client: string
  readonly lastUsedAt: Date | null
  readonly failingSince: Date | null
  readonly requestCount: string
  readonly successCount: string
  readonly waiting: string
  readonly version: number
  readonly createdAt: Date
  readonly updatedAt: Date
}

const endpointQuery = sql`
  select e.id, e.name, e.url as endpoint, e.method, e.rate_limit as "rateLimit", e.status, e.events,
    e.verified_at as "verifiedAt", e.status_reason as "statusReason", e.user_id as "userId", coalesce(u.username, '') as client,
    e.last_used_at as "lastUsedAt", e.failing_since as "failingSince", e.request_count as "requestCount", e.success_count as "successCount",
    (select count(*) from endpoint_deliveries d where d.endpoint_id = e.id and d.status = 'pending') as waiting,
    e.version, e.created_at as "createdAt", e.updated_at as "updatedAt"
  from endpoints e left join users u on u.id = e.user_id`

/** The endpoints of one client, or all of them, by id; their secrets masked. */
export async function viewEndpoints(db: Db, userId?: number): Promise<Endpoint[]> {
  const whose = userId === undefined ? sql`true` : sql`e.user_id = ${userId}`
  return (await rows<EndpointViewRow>(db, sql`${endpointQuery} where ${whose} order by e.id`)).map(toEndpoint)
}

export async function viewEndpoint(db: Db, id: number): Promise<Endpoint | undefined> {
  const found = await row<EndpointViewRow>(db, sql`${endpointQuery} where e.id = ${id}`)
  return found === undefined ? undefined : toEndpoint(found)
}

function toEndpoint(found: EndpointViewRow): Endpoint {
  const { lastUsedAt, verifiedAt, failingSince, requestCount, successCount, ...fields } = found
  const total = Number(requestCount)
  return {
    ...fields,
    id: String(found.id),
    apiKey: maskedSecret,
    lastUsed: lastUsedAt?.toISOString() ?? null,
    verifiedAt: verifiedAt?.toISOString() ?? null,
    failingSince: failingSince?.toISOString() ?? null,
    totalRequests: total,
    successRate: total === 0 ? 0 : Math.round((Number(successCount) / total) * 1_000) / 10,
    waiting: Number(found.waiting),
    createdAt: found.createdAt.toISOString(),
    updatedAt: found.updatedAt.toISOString(),
  }
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
  const found = await row<DeliveryQueue>(
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
  if (found === undefined) throw new Error('The query of the delivery queue gave no row')
  return found
}

interface DeliveryViewRow {
  readonly id: string
  readonly type: DeliveryType
  readonly recordCreatedAt: Date | null
  readonly recordId: string | null
  readonly subject: string
  readonly status: (typeof deliveryStatuses)[number]
  readonly attempts: number
  readonly responseStatus: number | null
  readonly error: string
  readonly createdAt: Date
  readonly lastAttemptAt: Date | null
  readonly nextAttemptAt: Date | null
}

const deliveryQuery = sql`
  select id, type, record_created_at as "recordCreatedAt", record_id as "recordId", subject, status, attempts,
    response_status as "responseStatus", error, created_at as "createdAt", last_attempt_at as "lastAttemptAt",
    next_attempt_at as "nextAttemptAt"
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
  const found = await rows<DeliveryViewRow>(
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
  const found = await row<DeliveryViewRow>(
    db,
    sql`${deliveryQuery} where endpoint_id = ${endpointId} and id = ${id}::bigint`,
  )
  return found === undefined ? undefined : toDelivery(found)
}

function toDelivery(found: DeliveryViewRow): Delivery {
  const { recordCreatedAt: at, recordId: id, lastAttemptAt, nextAttemptAt, ...fields } = found
  const recordId =
    at === null || id === null ? '' : messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) })
  return {
    ...fields,
    webhookId: webhookIdOf(found.id),
    subject: recordId === '' ? found.subject : recordId,
    recordId,
    createdAt: found.createdAt.toISOString(),
    lastAttempt: lastAttemptAt?.toISOString() ?? null,
    nextAttempt: nextAttemptAt?.toISOString() ?? null,
  }
}

interface AttemptViewRow {
  readonly at: Date
  readonly durationMs: number
  readonly responseStatus: number | null
  readonly error: string
  readonly headers: { name: string; value: string }[] | null
  readonly body: string | null
}

// A delivery has 13 attempts; each replay adds as many.
const attemptsShownMax = 30

/** The latest attempts of a delivery, the newest first. One that was accepted is told by the delivery itself. */
export async function viewAttempts(db: Db, deliveryId: string): Promise<EndpointAttempt[]> {
  const found = await rows<AttemptViewRow>(
    db,
    sql`select at, duration_ms as "durationMs", response_status as "responseStatus", error, answer_headers as headers,
          answer_body as body
        from endpoint_attempts where delivery_id = ${deliveryId}::bigint
        union all
        select last_attempt_at, coalesce(duration_ms, 0), response_status, '', null, null
        from endpoint_deliveries
        where id = ${deliveryId}::bigint and status = 'delivered' and last_attempt_at is not null
        order by 1 desc limit ${attemptsShownMax}`,
  )
  return found.map(({ at, headers, body, ...attempt }) => ({
    ...attempt,
    at: at.toISOString(),
    answer: headers === null && body === null ? null : { headers: headers ?? [], body: body ?? '' },
  }))
}
