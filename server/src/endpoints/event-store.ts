// SQL of what addresses went through by themselves, for the activity log.
import { sql } from 'kysely'
import type { Db } from '../platform/db.ts'

export interface EndpointEvent {
  readonly endpointId: number
  readonly name: string
  readonly event: 'failing' | 'recovered' | 'switched_off'
  readonly detail: string
}

/** Adds events. One that flaps is told once a minute for each kind, or it would drown the others. */
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

/** Forgets events of more than 30 days ago. */
export async function pruneEvents(db: Db): Promise<void> {
  await sql`delete from endpoint_events where at < clock_timestamp() - interval '30 days'`.execute(db)
}
