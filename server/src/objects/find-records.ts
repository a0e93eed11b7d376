// Records by the id that was acknowledged for them, in any of its forms, and the holds on them.
import { sql } from 'kysely'
import type { Found } from '@tollgate/contract/objects/objects.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { keyOfStyledId, readStyledId } from '../gateway/index.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { messageIdOf, parseMessageId, type RecordKey } from '../ingest/index.ts'
import { foundOf, ownerOf, type SearchQuery } from './finder.ts'

// A record's number alone. Shorter texts are something else: the first batch begins at 4,096.
const recordNumber = /^[1-9a-f][0-9a-f]{3,}$/i

const shortIdLength = 8

/** Each record that this text is an id of: its own, its number in decimal or hexadecimal, or a short one, as a peer may get it. */
async function keysOf(db: Db, text: string): Promise<RecordKey[]> {
  const own = parseMessageId(text)
  if (own !== undefined) return [own]
  // An id of eight characters may be a short one, which peers of SMPP 3.3 get and the console shows.
  const lengths = [
    ...(recordNumber.test(text) ? [false] : []),
    ...(text.length === shortIdLength ? [true] : []),
  ]
  const keys = new Map<number, RecordKey>()
  for (const form of ['text', 'decimal', 'hex'] as const)
    for (const isShort of lengths) {
      const styled = readStyledId(text, { form, isShort })
      const key = styled && (await keyOfStyledId(db, styled))
      if (key !== undefined) keys.set(key.recordId, key)
    }
  return [...keys.values()]
}

interface FoundRecordRow {
  readonly number: string
  readonly username: string | null
}

/** Records by message id; a client's own. */
export async function findRecords({ db, actor, text }: SearchQuery): Promise<Found[]> {
  const owner = ownerOf(actor)
  const found: Found[] = []
  for (const key of await keysOf(db, text)) {
    const record = await row<FoundRecordRow>(
      db,
      sql`select n.number, u.username from records r
          join numbers n on n.id = r.number_id left join users u on u.id = r.client_id
          where r.created_at = ${new Date(key.createdAtMs)} and r.id = ${key.recordId}
            and ${owner === undefined ? sql`true` : sql`r.client_id = ${owner}`}`,
    )
    if (record === undefined) continue
    const at = new Date(key.createdAtMs).toISOString().slice(0, 16).replace('T', ' ')
    // The test role sees numbers masked.
    const number = actor.role === 'test' ? [] : [`+${record.number}`]
    found.push(
      foundOf({
        kind: 'record',
        id: messageIdOf(key),
        title: messageIdOf(key),
        detail: [...number, record.username ?? 'nobody', `${at} UTC`].join(' · '),
      }),
    )
  }
  return found
}

interface FoundHoldRow {
  readonly id: string
  readonly username: string
  readonly number: string
  readonly status: string
}

/** Holds by their id, or by the message id of a record that they hold; for staff. */
export async function findHolds({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  if (!isPermitted(actor.role, 'holdReview')) return []
  const recordIds = (await keysOf(db, text)).map(({ recordId }) => recordId)
  const id = /^\d{1,9}$/.test(text) ? text : null
  const found = await rows<FoundHoldRow>(
    db,
    sql`with known as (
          select ${id}::bigint as id union
          select hold_id from hold_records where record_id = any(${recordIds}::bigint[])
        )
        select h.id, u.username, n.number, h.status from known k join holds h on h.id = k.id
        join users u on u.id = h.user_id join numbers n on n.id = h.number_id order by h.id desc limit ${max}`,
  )
  return found.map(({ id: holdId, username, number, status }) =>
    foundOf({
      kind: 'hold',
      id: holdId,
      title: `Hold ${holdId}`,
      detail: `${username} · +${number} · ${status}`,
    }),
  )
}
