// The whole message that a segment belongs to, for reading only: each segment stays a record and a charge of its own.
import type { LongMessageView } from '@tollgate/contract/records/records.ts'
import { decodeBody, type DecodedBody } from '@tollgate/smpp/text/decode.ts'
import { joinSegments } from '@tollgate/smpp/text/join.ts'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { readBodies, type RawMessage, messageIdOf, type RecordRow } from '../ingest/index.ts'
import { isComplete, type LongMessage, type LongMessageKey } from './assign-segments.ts'
import { messageOf } from './store.ts'

export interface WholeMessage {
  /** With a mark where segments are missing. */
  readonly text: string
  /** How many of its segments were found, and how many it has. */
  readonly parts: number
  readonly total: number
  /** The message ids of the other segments. */
  readonly otherIds: readonly string[]
}

interface ReadingDeps {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
}

type StoredBody = Pick<RawMessage, 'dataCoding' | 'esmClass' | 'body' | 'defaultAlphabet'>

/** Decodes a stored message. */
export const decodeStored = ({ dataCoding, esmClass, body, defaultAlphabet }: StoredBody): DecodedBody =>
  decodeBody({ dataCoding, esmClass, octets: body, defaultAlphabet })

/** What the segments of a record's message have in common; undefined when the record is no segment. */
function keyOf(record: RecordRow): LongMessageKey | undefined {
  const { segment_reference: reference, segment_total: total } = record
  if (reference === null || total === null || total < 2) return undefined
  const { number_id: numberId, gateway_id: gatewayId, client_id: clientId, sender } = record
  return { numberId, gatewayId, clientId, sender, reference, total }
}

/** The long message of a record; undefined when the record is no segment, or not joined yet. */
export async function findLongMessage(db: Db, record: RecordRow): Promise<LongMessage | undefined> {
  const key = keyOf(record)
  if (key === undefined) return undefined
  return messageOf(db, { ...key, recordId: Number(record.id), createdAtMs: record.created_at.getTime() })
}

/** Joins the segments of the message that `found` belongs to; undefined if it is the only segment. */
export async function readWhole(
  { db, secrets }: ReadingDeps,
  found: RecordRow,
  own: DecodedBody,
): Promise<WholeMessage | undefined> {
  const { position } = own
  if (position === undefined || position.total < 2) return undefined
  const message = await findLongMessage(db, found)
  const recordIds = message?.recordIds ?? ownPlace(Number(found.id), position)
  const { text, parts } = joinBodies(recordIds, await readBodies(db, secrets, presentIds({ recordIds })))
  const otherIds = message === undefined ? [] : partIdsOf(message).filter((id) => id !== idOf(found))
  return { text, parts, total: position.total, otherIds }
}

const ownPlace = (recordId: number, { sequence, total }: { sequence: number; total: number }) =>
  Array.from({ length: total }, (_, index) => (index + 1 === sequence ? recordId : null))

const idOf = ({ id, created_at: at }: RecordRow): string =>
  messageIdOf({ createdAtMs: at.getTime(), recordId: Number(id) })

/** The message ids of the segments that came, in their order. */
export function partIdsOf({ recordIds, createdAtsMs }: LongMessage): string[] {
  return recordIds.flatMap((recordId, index) => {
    const createdAtMs = createdAtsMs[index] ?? null
    return recordId === null || createdAtMs === null ? [] : [messageIdOf({ createdAtMs, recordId })]
  })
}

/** A message as the API shows it. */
export function viewLongMessage(message: LongMessage): LongMessageView {
  const { id, total, recordIds, isEnded } = message
  return {
    id: String(id),
    state: isComplete(message) ? 'complete' : isEnded ? 'incomplete' : 'open',
    total,
    partIds: partIdsOf(message),
    missing: recordIds.flatMap((recordId, index) => (recordId === null ? [index + 1] : [])),
  }
}

/** The text of a message whose segments have these records, and how many of them are among `bodies`. */
export function joinBodies(
  recordIds: LongMessage['recordIds'],
  bodies: ReadonlyMap<number, StoredBody>,
): { readonly text: string; readonly parts: number } {
  const segments = recordIds.flatMap((id, index) => {
    const raw = id === null ? undefined : bodies.get(id)
    if (raw === undefined) return []
    const { alphabet, content, tables } = decodeStored(raw)
    return [{ sequence: index + 1, alphabet, content, tables }]
  })
  return { text: joinSegments(segments, recordIds.length).text, parts: segments.length }
}

/** The records of a message that came. */
export const presentIds = ({ recordIds }: Pick<LongMessage, 'recordIds'>): number[] =>
  recordIds.filter((id) => id !== null)
