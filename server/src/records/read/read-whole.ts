// The whole message that a segment belongs to, for reading only: each segment stays a record and a charge of its own.
import { decodeBody, type DecodedBody } from '@tollgate/smpp/text/decode.ts'
import { joinSegments } from '@tollgate/smpp/text/join.ts'
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { readBodies, type RawMessage } from '../ingest/index.ts'
import { findPage } from '../search/index.ts'
import { messageIdOf } from '../message-id.ts'
import type { Condition } from '../query/condition.ts'
import type { RecordRow } from '../query/record-row.ts'

export interface WholeMessage {
  /** With a mark where segments are missing. */
  readonly text: string
  /** How many of its segments were found, and how many it has. */
  readonly parts: number
  readonly total: number
  /** The message ids of the other segments. */
  readonly otherIds: readonly string[]
}

// How far from a segment the others are searched, until all are found. They come within seconds, a late one within a day.
const spansMs = [60_000, 600_000, 3_600_000, 86_400_000]
// How many records of the same number are read at most, so that many other messages do not make it slow. A time span with
// so many is the last: a wider one would give the newest of them and not the nearest.
const neighboursMax = 4_000
// How many texts are decrypted at most: the segments of one message, and as many of others from the same address.
const openedMax = 510

/** Decodes a stored message. */
export const decodeStored = ({ dataCoding, esmClass, body, defaultAlphabet }: RawMessage): DecodedBody =>
  decodeBody({ dataCoding, esmClass, octets: body, defaultAlphabet })

/** Joins the segments around `found` with the same peer, addresses and client; undefined if it is the only segment. */
export async function readWhole(
  { db, secrets }: { readonly db: Db; readonly secrets: Pick<Secrets, 'decrypt'> },
  found: RecordRow,
  own: DecodedBody,
): Promise<WholeMessage | undefined> {
  const { position } = own
  if (position === undefined || position.total < 2) return undefined
  const segments = new Map([[position.sequence, own]])
  const otherIds: string[] = []
  for (const spanMs of spansMs) {
    if (segments.size === position.total) break
    const around = await findPage(db, neighbourhood(found, spanMs), {
      after: undefined,
      limit: neighboursMax,
      now: found.created_at,
    })
    const candidates = likelySegments(around, found)
    const bodies = await readBodies(
      db,
      secrets,
      candidates.map(({ id }) => Number(id)),
    )
    for (const { id, created_at } of candidates) {
      const raw = bodies.get(Number(id))
      const segment = raw === undefined ? undefined : decodeStored(raw)
      const other = segment?.position
      if (segment === undefined || other === undefined || segments.has(other.sequence)) continue
      // The nearest in time come first, since a supplier uses a reference again for a later message.
      if (other.reference !== position.reference || other.total !== position.total) continue
      if (other.carrier !== position.carrier) continue
      segments.set(other.sequence, segment)
      otherIds.push(messageIdOf({ createdAtMs: created_at.getTime(), recordId: Number(id) }))
    }
    if (around.length >= neighboursMax) break
  }
  const joined = joinSegments(
    [...segments].map(([sequence, { alphabet, content, tables }]) => ({
      sequence,
      alphabet,
      content,
      tables,
    })),
    position.total,
  )
  return { text: joined.text, parts: segments.size, total: position.total, otherIds }
}

function neighbourhood({ number_id, gateway_id, created_at }: RecordRow, spanMs: number): Condition {
  const [from, to] = [-spanMs, spanMs].map((offsetMs) => new Date(created_at.getTime() + offsetMs))
  return { numberIds: [number_id], gatewayIds: [gateway_id], from, to }
}

/** Records that may be segments of the same message, the nearest in time first. */
function likelySegments(around: readonly RecordRow[], found: RecordRow): RecordRow[] {
  const distance = ({ created_at: at }: RecordRow) => Math.abs(at.getTime() - found.created_at.getTime())
  return around
    .filter(
      ({ id, sender, client_id: client }) =>
        id !== found.id && sender === found.sender && client === found.client_id,
    )
    .toSorted((one, other) => distance(one) - distance(other) || Number(one.id) - Number(other.id))
    .slice(0, openedMax)
}
