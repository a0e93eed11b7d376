// A subscriber's number goes from the flight recorder: PDUs that name it are deleted.
import { sql } from 'kysely'
import type { ErasedSender } from '../../ingest/index.ts'
import { changed, type Db } from '../../platform/db.ts'

export function eraseRecordedPdus(tx: Db, { forms }: ErasedSender): Promise<number> {
  return changed(
    tx,
    sql`delete from flight_pdus p where exists (
          select from unnest(${forms}::text[]) f where p.fields::text like '%"' || f || '"%')`,
  )
}
