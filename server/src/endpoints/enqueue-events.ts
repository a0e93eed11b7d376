// Events about money and requests: they become deliveries in the transaction that caused them.
import { sql, type RawBuilder } from 'kysely'
import { endpointEvents, type DeliveryType } from '@tollgate/contract/endpoints/deliveries.ts'
import { changed, type Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'

/** A query that gives user_id, type, subject and data (jsonb) of each event. */
export type EventQuery = RawBuilder<unknown>

/** One event as such a query. */
export function oneEvent(
  userId: number,
  type: DeliveryType,
  { id, ...fields }: { readonly id: string },
): EventQuery {
  return sql`select ${userId}::int, ${type}::text, ${id}::text, ${JSON.stringify({ id, ...fields })}::jsonb`
}

const kindOfType = sql.join(
  Object.entries(endpointEvents).flatMap(([event, types]) =>
    types.map((type) => sql`(${event}::text, ${type}::text)`),
  ),
)

// Read before the events: a close makes thousands, for nobody where there is no endpoint.
const hasEndpoint = sql`exists (select from endpoints where status <> 'inactive')`

/**
 * Adds a delivery for each endpoint that chose the event and belongs to its client, or to nobody in particular. With
 * nothing to add it costs one statement. `wake` is called after the commit when there are any.
 */
export async function enqueueEvents(tx: Db, events: EventQuery, wake: () => void): Promise<void> {
  const count = await changed(
    tx,
    sql`
    insert into endpoint_deliveries (endpoint_id, type, subject, data, status, next_attempt_at)
    select e.id, v.type, v.subject, v.data, 'pending', clock_timestamp()
    from (select * from (${events}) v (user_id, type, subject, data) where ${hasEndpoint}) v
    join (values ${kindOfType}) as kinds (event, type) on kinds.type = v.type
    join endpoints e on e.status <> 'inactive' and (e.user_id is null or e.user_id = v.user_id)
      and kinds.event = any(e.events)`,
  )
  if (count > 0) afterCommit(tx, wake)
}

/** An event for one endpoint of the staff; `data` has no `id`. */
export interface AddressedEvent {
  readonly endpointId: number
  readonly type: DeliveryType
  readonly id: string
  readonly data: object
}

/** As {@link enqueueEvents}, for one endpoint whatever it chose. One that is a client's gets nothing. */
export async function enqueueEvent(
  tx: Db,
  { endpointId, type, id, data }: AddressedEvent,
  wake: () => void,
): Promise<void> {
  const count = await changed(
    tx,
    sql`
    insert into endpoint_deliveries (endpoint_id, type, subject, data, status, next_attempt_at)
    select e.id, ${type}, ${id}, ${JSON.stringify({ id, ...data })}::jsonb, 'pending', clock_timestamp()
    from endpoints e where e.id = ${endpointId} and e.user_id is null and e.status <> 'inactive'`,
  )
  if (count > 0) afterCommit(tx, wake)
}
