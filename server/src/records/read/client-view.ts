// Records as the client sees them who holds their number, for delivery.
import { decodeBody } from '@tollgate/smpp/text/decode.ts'
import { sql } from 'kysely'
import type { SmsRecord } from '@tollgate/contract/records.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { readBodies } from '../ingest/index.ts'
import type { RecordKey } from '../message-id.ts'
import { readNames } from '../query/names.ts'
import { recordColumns, type RecordRow } from '../query/record-row.ts'
import { viewRecord } from './record-view.ts'

export interface ClientRecord {
  /** Null if nobody held the number. */
  readonly clientId: number | null
  readonly record: SmsRecord
}

/**
 * The texts of these messages by record id; '' for a text that is not stored. The caller has checked the permission.
 * Throws when the bytes were altered or encrypted with another key.
 */
export async function readTexts(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  keys: readonly RecordKey[],
): Promise<Map<number, string>> {
  const messages = await readBodies(
    db,
    secrets,
    keys.map(({ recordId }) => recordId),
  )
  return new Map(
    keys.map(({ recordId }) => {
      const message = messages.get(recordId)
      if (message === undefined) return [recordId, '']
      const { dataCoding, esmClass, body } = message
      return [recordId, decodeBody({ dataCoding, esmClass, octets: body }).text]
    }),
  )
}

/** These records as they are now, by record id; a record that no longer exists is left out. */
export async function readForClients(db: Db, keys: readonly RecordKey[]): Promise<Map<number, ClientRecord>> {
  if (keys.length === 0) return new Map()
  const found = await rows<RecordRow>(
    db,
    sql`select ${recordColumns} from records r
        join unnest(${keys.map(({ createdAtMs }) => new Date(createdAtMs))}::timestamptz[],
          ${keys.map(({ recordId }) => recordId)}::bigint[]) as requested (created_at, id) using (created_at, id)`,
  )
  const names = await readNames(db, found)
  return new Map(
    found.map((row) => {
      const viewer = { userId: row.client_id ?? 0, role: 'user' as const }
      return [Number(row.id), { clientId: row.client_id, record: viewRecord(row, names, viewer) }]
    }),
  )
}
