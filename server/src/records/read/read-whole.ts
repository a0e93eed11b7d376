// The whole message that a part belongs to, for reading only: each part stays a record and a charge of its own.
import { decodeBody, type DecodedBody } from '@tollgate/smpp/text/decode.ts'
import { joinParts } from '@tollgate/smpp/text/join.ts'
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { readBodies, type RawMessage } from '../ingest/index.ts'
import { scanSegments } from '../search/scan-segments.ts'
import { messageIdOf } from '../message-id.ts'
import type { Condition } from './condition.ts'
import type { RecordRow } from './record-row.ts'

export interface WholeMessage {
  /** With a mark where parts are missing. */
  readonly text: string
  /** How many of its parts are there, of how many. */
  readonly parts: number
  readonly total: number
  /** The other records that it was read from. */
  readonly otherIds: readonly string[]
}

// How far from a part the others are looked for, until all are found. They come within seconds, a late one within a day.
const reachesMs = [60_000, 600_000, 3_600_000, 86_400_000]
// Neighbours of the same number that are looked at: a flood of other messages must not make it slow. A reach that has so
// many is the last, since the next would give its newest and not its nearest.
const neighboursMax = 4_000
// Parts that are opened: those of one message, and as many again of others from the same sender.
const openedMax = 510

/** Decodes a stored message. */
export const decodeStored = ({ dataCoding, esmClass, body }: RawMessage): DecodedBody =>
  decodeBody({ dataCoding, esmClass, octets: body })

/** Joins the parts around `found`, from the same peer, sender, number and client; undefined when it stands alone. */
export async function readWhole(
  { db, secrets }: { readonly db: Db; readonly secrets: Pick<Secrets, 'open'> },
  found: RecordRow,
  own: DecodedBody,
): Promise<WholeMessage | undefined> {
  const { position } = own
  if (position === undefined || position.total < 2) return undefined
  const parts = new Map([[position.sequence, own]])
  const otherIds: string[] = []
  for (const reachMs of reachesMs) {
    if (parts.size === position.total) break
    const around = await scanSegments(db, neighbourhood(found, reachMs), undefined, neighboursMax)
    const near = likelyParts(around, found)
    const bodies = await readBodies(
      db,
      secrets,
      near.map(({ id }) => Number(id)),
    )
    for (const { id, created_at } of near) {
      const raw = bodies.get(Number(id))
      const part = raw === undefined ? undefined : decodeStored(raw)
      const place = part?.position
      if (part === undefined || place === undefined || parts.has(place.sequence)) continue
      // The nearest in time come first, so that a reference used again joins its own message.
      if (place.reference !== position.reference || place.total !== position.total) continue
      if (place.carrier !== position.carrier) continue
      parts.set(place.sequence, part)
      otherIds.push(messageIdOf({ createdAtMs: created_at.getTime(), recordId: Number(id) }))
    }
    if (around.length >= neighboursMax) break
  }
  const joined = joinParts(
    [...parts].map(([sequence, { alphabet, content }]) => ({ sequence, alphabet, content })),
    position.total,
  )
  return { text: joined.text, parts: parts.size, total: position.total, otherIds }
}

function neighbourhood({ number_id, gateway_id, created_at }: RecordRow, reachMs: number): Condition {
  const [from, to] = [-reachMs, reachMs].map((offsetMs) => new Date(created_at.getTime() + offsetMs))
  return { numberIds: [number_id], gatewayIds: [gateway_id], from, to }
}

/** Those that may be parts of the same message, the nearest in time first. */
function likelyParts(around: readonly RecordRow[], found: RecordRow): RecordRow[] {
  const distance = ({ created_at: at }: RecordRow) => Math.abs(at.getTime() - found.created_at.getTime())
  return around
    .filter(
      ({ id, sender, client_id: client }) =>
        id !== found.id && sender === found.sender && client === found.client_id,
    )
    .toSorted((one, other) => distance(one) - distance(other) || Number(one.id) - Number(other.id))
    .slice(0, openedMax)
}
