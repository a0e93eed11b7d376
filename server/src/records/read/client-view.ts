// Records as the client sees them who holds their number, for delivery.
import { sql } from 'kysely'
import type { SentView, SmsRecord } from '@tollgate/contract/records.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { readBodies } from '../ingest/index.ts'
import type { RecordKey } from '../message-id.ts'
import { readNames } from '../query/names.ts'
import { recordColumns, type RecordRow } from '../query/record-row.ts'
import { decodeStored } from './read-whole.ts'
import { viewSent } from './sent-view.ts'
import { viewRecord } from './record-view.ts'

export interface ClientRecord {
  /** Null if nobody held the number. */
  readonly clientId: number | null
  readonly record: SmsRecord
}

/** What a message carried, in the form of the API. */
export interface MessageContents {
  readonly text: string
  /** Null for a message without a PDU. */
  readonly sent: SentView | null
}

/**
 * What these messages carried, by record id; messages that are not kept are left out. The caller has checked the permission.
 * Throws when the bytes were altered or encrypted with another key.
 */
export async function readContents(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  keys: readonly RecordKey[],
): Promise<Map<number, MessageContents>> {
  const messages = await readBodies(
    db,
    secrets,
    keys.map(({ recordId }) => recordId),
  )
  return new Map(
    [...messages].map(([id, raw]) => [id, { text: decodeStored(raw).text, sent: viewSent(raw) ?? null }]),
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
