// A subscriber's number goes from long messages.
import { sql } from 'kysely'
import type { ErasedSender } from '../ingest/index.ts'
import { changed, type Db } from '../platform/db.ts'

/** Replaces the sender of long messages to these numbers, by which they are found. */
export function eraseLongMessages(
  tx: Db,
  { forms, pseudonym }: ErasedSender,
  numberIds: readonly number[],
): Promise<number> {
  return changed(
    tx,
    sql`update long_messages set sender = ${pseudonym}
        where number_id = any(${numberIds}::int[]) and sender = any(${forms}::text[])`,
  )
}
