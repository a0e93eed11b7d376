// Records as the client who holds their number sees them, for handing them on.
import { sql } from 'kysely'
import type { SmsRecord } from '@tollgate/contract/records.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { RecordKey } from '../message-id.ts'
import { readNames } from './names.ts'
import { recordColumns, type RecordRow } from './record-row.ts'
import { viewRecord } from './record-view.ts'

export interface ClientRecord {
  /** Null when nobody held the number. */
  readonly clientId: number | null
  readonly record: SmsRecord
}

/** These records as they are now, by record id; what is gone is left out. */
export async function readForClients(db: Db, keys: readonly RecordKey[]): Promise<Map<number, ClientRecord>> {
  if (keys.length === 0) return new Map()
  const found = await rows<RecordRow>(
    db,
    sql`select ${recordColumns} from records r
        join unnest(${keys.map(({ createdAtMs }) => new Date(createdAtMs))}::timestamptz[],
          ${keys.map(({ recordId }) => recordId)}::bigint[]) as wanted (created_at, id) using (created_at, id)`,
  )
  const names = await readNames(db, found)
  return new Map(
    found.map((row) => {
      const viewer = { userId: row.client_id ?? 0, role: 'user' as const }
      return [Number(row.id), { clientId: row.client_id, record: viewRecord(row, names, viewer) }]
    }),
  )
}
