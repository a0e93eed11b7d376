// Long messages that have ended become deliveries of the event message.completed. The records slice calls this in the
// transaction that ends them, so each message becomes one delivery for each endpoint, also after a crash.
import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'
import type { EndedMessage } from '../long-messages/index.ts'
import { liveEndpoints } from './store.ts'

/** Adds a delivery for each endpoint that chose the event and takes what is the message's client's. */
export async function deliverMessages(tx: Db, ended: readonly EndedMessage[]): Promise<void> {
  const endpoints = await liveEndpoints(tx, 'for share')
  const added = ended.flatMap(({ id, clientId }) =>
    endpoints
      .filter(({ userId, events }) => (userId ?? clientId) === clientId && events.includes('completed'))
      .map((endpoint) => ({ endpointId: endpoint.id, messageId: id })),
  )
  if (added.length === 0) return
  await sql`
    insert into endpoint_deliveries (endpoint_id, long_message_id, type, status, next_attempt_at)
    select n.*, 'message.completed', 'pending', clock_timestamp()
    from unnest(${added.map(({ endpointId }) => endpointId)}::int[],
      ${added.map(({ messageId }) => messageId)}::bigint[]) as n`.execute(tx)
}
