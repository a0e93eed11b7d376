// Clients to whom nothing can be handed on: their records stay pending until somebody gives them a way to be reached.
import { sql } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'

/**
 * The holders of numbers, or the one of this id, that have neither bound to receive, nor a webhook of their own, nor a key
 * that reads the feed; none while an endpoint takes the records of everybody.
 */
export async function clientsWithoutReceiver(db: Db, userId?: number): Promise<string[]> {
  const found = await rows<{ username: string }>(
    db,
    sql`select u.username from users u
        where (${userId ?? null}::int is null or u.id = ${userId ?? null})
          and exists (select from number_holders h where h.user_id = u.id)
          and not exists (select from bind_receivers b where b.user_id = u.id)
          and not exists (select from binds b where b.user_id = u.id and b.bind_type <> 'transmitter')
          and not exists (
            select from endpoints e
            where (e.user_id = u.id or e.user_id is null) and e.status <> 'inactive'
              and e.events && array['message', 'completed']
          )
          and not exists (select from api_keys k where k.user_id = u.id and k.scopes @> array['events:read'])
        order by lower(u.username)`,
  )
  return found.map(({ username }) => username)
}
