// The whole message that a part belongs to, for reading only: each part stays a record and a charge of its own.
import { sql } from 'kysely'
import { decodeBody, type DecodedBody } from '@tollgate/smpp/text/decode.ts'
import { joinParts } from '@tollgate/smpp/text/join.ts'
import { rows, type Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { readBodies, type RawMessage } from '../ingest/index.ts'
import { messageIdOf } from '../message-id.ts'
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

// Neighbours of the same number that are looked at on either side: a flood of other messages must not make it slow.
const neighboursMax = 2_000
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
  const near = await neighbours(db, found)
  const bodies = await readBodies(
    db,
    secrets,
    near.map(({ id }) => Number(id)),
  )
  const parts = new Map([[position.sequence, own]])
  const otherIds: string[] = []
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
  const joined = joinParts(
    [...parts].map(([sequence, { alphabet, content }]) => ({ sequence, alphabet, content })),
    position.total,
  )
  return { text: joined.text, parts: parts.size, total: position.total, otherIds }
}

/** Records that may be parts of the same message, the nearest in time first. A message's parts come within a day. */
function neighbours(db: Db, found: RecordRow): Promise<{ id: string; created_at: Date }[]> {
  const { number_id, created_at, id, gateway_id, sender, client_id } = found
  const side = (isBefore: boolean) => sql`(
    select r.id, r.created_at, r.gateway_id, r.sender, r.client_id from records r
    where r.number_id = ${number_id} and ${
      isBefore
        ? sql`r.created_at > ${created_at}::timestamptz - interval '1 day'
            and (r.created_at, r.id) < (${created_at}::timestamptz, ${id}::bigint)
          order by r.created_at desc, r.id desc`
        : sql`r.created_at < ${created_at}::timestamptz + interval '1 day'
            and (r.created_at, r.id) > (${created_at}::timestamptz, ${id}::bigint)
          order by r.created_at, r.id`
    } limit ${neighboursMax})`
  return rows(
    db,
    sql`select id, created_at from (${side(true)} union all ${side(false)}) near
        where gateway_id = ${gateway_id} and sender = ${sender} and client_id is not distinct from ${client_id}::int
        order by abs(extract(epoch from created_at - ${created_at}::timestamptz)), id
        limit ${openedMax}`,
  )
}
