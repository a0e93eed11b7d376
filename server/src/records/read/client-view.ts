// Records as the client sees them who holds their number, for delivery.
import { sql } from 'kysely'
import type { CompletedMessage, RawView, SentView, SmsRecord } from '@tollgate/contract/records/records.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import {
  keyArrays,
  readBodies,
  type RawMessage,
  messageIdOf,
  type RecordKey,
  readNames,
  recordColumns,
  type RecordRow,
} from '../../ingest/index.ts'
import {
  type LongMessage,
  decodeStored,
  joinBodies,
  presentIds,
  viewLongMessage,
  messagesById,
} from '../../long-messages/index.ts'
import { viewRaw, viewSent } from './sent-view.ts'
import { viewRecord } from './record-view.ts'
import { maskedText } from './viewer.ts'

export interface ClientRecord {
  /** Null if nobody held the number. */
  readonly clientId: number | null
  readonly record: SmsRecord
}

/** What a message carried, in the form of the API. */
export interface MessageContents {
  readonly text: string
  /** The alphabet that the text was read in; `binary` when it is none. */
  readonly encoding: string
  /** The octets that the text was read from. */
  readonly raw: RawView
  /** Null for a message without a PDU. */
  readonly sent: SentView | null
}

/**
 * What these messages carried, by record id; messages that are not kept are left out. The caller has checked the permission.
 * Throws when the bytes were altered or encrypted with another key; with `onFault` these are reported there and left out.
 */
export async function readContents(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  keys: readonly RecordKey[],
  onFault?: (error: unknown) => void,
): Promise<Map<number, MessageContents>> {
  const messages = await readBodies(
    db,
    secrets,
    keys.map(({ recordId }) => recordId),
    onFault,
  )
  return new Map(
    [...messages].map(([id, raw]) => {
      const { text, encoding } = decodeStored(raw)
      return [id, { text, encoding, raw: viewRaw(raw), sent: viewSent(raw) ?? null }]
    }),
  )
}

/** The name under which a gateway is shown: clients see its alias. */
type GatewayName = 'alias' | 'name'

/** These records as they are now, by record id; a record that no longer exists is left out. */
export async function readForClients(
  db: Db,
  keys: readonly RecordKey[],
  gatewayBy: GatewayName,
): Promise<Map<number, ClientRecord>> {
  if (keys.length === 0) return new Map()
  const found = await rows<RecordRow>(
    db,
    sql`select ${recordColumns} from records r
        join unnest(${keyArrays(keys)}) as requested (created_at, id) using (created_at, id)`,
  )
  const names = await readNames(db, found)
  return new Map(
    found.map((row) => {
      const viewer = { userId: row.client_id ?? 0, role: 'user' as const }
      const gateway = names.gateway(row.gateway_id)[gatewayBy]
      return [
        Number(row.id),
        { clientId: row.client_id, record: { ...viewRecord(row, names, viewer), gateway } },
      ]
    }),
  )
}

export interface ClientMessage {
  /** Null if nobody held the number. */
  readonly clientId: number | null
  /** Its text is masked; {@link readJoinedMessages} has it. */
  readonly message: CompletedMessage
}

/** These long messages as they are now, by id; one whose parts no longer exist is left out. */
export async function readMessagesForClients(
  db: Db,
  ids: readonly number[],
  gatewayBy: GatewayName,
): Promise<Map<number, ClientMessage>> {
  const messages = ids.length === 0 ? [] : await messagesById(db, ids)
  const firsts = messages.flatMap((message) => firstPartOf(message) ?? [])
  const records = await readForClients(db, firsts, gatewayBy)
  return new Map(
    messages.flatMap((message) => {
      const { record } = records.get(firstPartOf(message)?.recordId ?? 0) ?? {}
      if (message.id === undefined || record === undefined) return []
      const { messageId, phoneNumber, range, client, gateway, sender, createdAt } = record
      const shown = {
        messageId,
        phoneNumber,
        range,
        client,
        gateway,
        sender,
        createdAt,
        text: maskedText,
        parts: null,
      }
      const view = { ...viewLongMessage(message), reference: message.reference, ...shown }
      return [[message.id, { clientId: message.clientId, message: view }]]
    }),
  )
}

/** What a long message says, and the octets that it was read from. */
export type JoinedContents = Pick<CompletedMessage, 'text' | 'parts'>

/**
 * The joined texts of these long messages with the octets of each part, by id. The caller has checked the permission. Throws
 * when the bytes were altered or encrypted with another key.
 */
export async function readJoinedMessages(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  ids: readonly number[],
): Promise<Map<number, JoinedContents>> {
  const messages = ids.length === 0 ? [] : await messagesById(db, ids)
  const bodies = await readBodies(db, secrets, messages.flatMap(presentIds))
  return new Map(
    messages.map(({ id = 0, recordIds, createdAtsMs }) => [
      id,
      { text: joinBodies(recordIds, bodies).text, parts: partsOf({ recordIds, createdAtsMs }, bodies) },
    ]),
  )
}

function partsOf(
  { recordIds, createdAtsMs }: Pick<LongMessage, 'recordIds' | 'createdAtsMs'>,
  bodies: ReadonlyMap<number, RawMessage>,
): JoinedContents['parts'] {
  return recordIds.flatMap((recordId, index) => {
    const createdAtMs = createdAtsMs[index] ?? null
    const raw = recordId === null ? undefined : bodies.get(recordId)
    if (recordId === null || createdAtMs === null || raw === undefined) return []
    return [{ messageId: messageIdOf({ createdAtMs, recordId }), position: index + 1, raw: viewRaw(raw) }]
  })
}

function firstPartOf({ recordIds, createdAtsMs }: LongMessage): RecordKey | undefined {
  const index = recordIds.findIndex((id) => id !== null)
  const [recordId, createdAtMs] = [recordIds[index] ?? null, createdAtsMs[index] ?? null]
  return recordId === null || createdAtMs === null ? undefined : { recordId, createdAtMs }
}
