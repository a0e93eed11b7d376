// A subscriber's number goes from messages that were sent by hand. One that is on its way still needs it.
import { sql } from 'kysely'
import type { ErasedSender } from '../ingest/index.ts'
import { changed, type Db } from '../platform/db.ts'

export function eraseSends(tx: Db, { forms, pseudonym }: ErasedSender): Promise<number> {
  const without = (column: string) =>
    sql`${sql.ref(column)} = case when ${sql.ref(column)} = any(${forms}::text[]) then ${pseudonym} else ${sql.ref(column)} end`
  return changed(
    tx,
    sql`update connection_sends set ${without('sender')}, ${without('recipient')}
        where status in ('sent', 'failed') and (sender = any(${forms}::text[]) or recipient = any(${forms}::text[]))`,
  )
}
