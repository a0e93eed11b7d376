// SQL of changes in an endpoint's health, for the activity log.
import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'

export interface EndpointEvent {
  readonly endpointId: number
  readonly name: string
  readonly event: 'failing' | 'recovered' | 'switched_off'
  readonly detail: string
}

/** Adds events, at most one a minute of each kind for one endpoint: a flapping endpoint must not hide the others. */
export async function insertEvents(tx: Db, events: readonly EndpointEvent[]): Promise<void> {
  for (const { endpointId, name, event, detail } of events)
    await sql`
      insert into endpoint_events (endpoint_id, name, event, detail)
      select ${endpointId}, ${name}, ${event}, ${detail}
      where not exists (
        select from endpoint_events where at > clock_timestamp() - interval '1 minute'
          and endpoint_id = ${endpointId} and event = ${event}
      )`.execute(tx)
}

/** Deletes events older than 30 days. */
export async function pruneEvents(db: Db): Promise<void> {
  await sql`delete from endpoint_events where at < clock_timestamp() - interval '30 days'`.execute(db)
}
