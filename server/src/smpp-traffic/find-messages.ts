// The messages that an account sent, by the id that their answer named: in any form that a profile allows, now or before.
import { sql } from 'kysely'
import type { OwnMessage } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { messageIdForms, recordStatuses, type ReceiptState } from '@tollgate/contract/vocabulary.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { maskNumber } from '../files/formats/mask-number.ts'
import { messageIdOf, parseMessageId, recordFlags, recordsPerBatchId } from '../ingest/index.ts'
import { recordIdsAnsweredWith, readStyledId } from '../gateway/index.ts'
import { ownGatewayIds } from './gateways.ts'

/** The most messages that one id gives: short ids repeat. */
const matchesMax = 100
/** The newest records that a short id may name; each is looked up by its batch. Of 2,000 decimal ones the oldest is 50 million
 * batches back. */
const candidatesMax = 2_000
/** Finished deliveries are deleted after so long. */
const receiptKeptMs = 30 * 86_400_000
// Codes of recordStatuses: completed, failed, reported, no_report are final.
const finalFrom = 2

interface MessageRow {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly number: string
  readonly sender: string
  readonly status: number
  readonly flags: number
  readonly dataCoding: number | null
  readonly reference: number | null
  readonly total: number | null
  readonly position: number | null
  readonly smsCount: number
  readonly systemId: string
  readonly receiptStatus: 'pending' | 'delivered' | 'failed' | null
  readonly attempts: number | null
  readonly triedAt: Date | null
  readonly error: string | null
}

interface Viewing {
  readonly now: Date
  /** Hides the numbers but for their last digits. */
  readonly masks: boolean
}

/** Every message of this account that was answered with this id, the newest first. */
export async function findOwnMessages(
  db: Db,
  userId: number,
  answeredId: string,
  viewing: Viewing,
): Promise<OwnMessage[]> {
  const gatewayIds = await ownGatewayIds(db, userId)
  if (gatewayIds.length === 0) return []
  const [named, shared] = await Promise.all([
    recordIdsOf(db, answeredId),
    recordIdsAnsweredWith(db, formsOf(answeredId), matchesMax),
  ])
  const found = await readMessages(db, gatewayIds, [...new Set([...named, ...shared])])
  // An id of our own names a time too, and both must fit.
  const own = parseMessageId(answeredId)
  return found
    .filter(({ id, createdAt }) => Number(id) !== own?.recordId || createdAt.getTime() === own.createdAtMs)
    .map((message) => toReply(message, viewing))
}

/** An answered id as it is noted: in the letters that the peer got. */
const formsOf = (id: string): string[] => [id, id.toUpperCase()]

/** The ids of the records that this text may be an id of. There need not be such records. */
async function recordIdsOf(db: Db, text: string): Promise<number[]> {
  const own = parseMessageId(text)
  if (own !== undefined) return [own.recordId]
  const found: number[] = []
  for (const form of messageIdForms) {
    const whole = readStyledId(text, { form, isShort: false })
    if (whole !== undefined) found.push(whole.rest)
    // A short id has eight characters.
    const short = text.length === 8 ? readStyledId(text, { form, isShort: true }) : undefined
    if (short?.modulus !== undefined) found.push(...(await repeats(db, short.rest, short.modulus)))
  }
  return found
}

/** The record ids that leave this rest, the newest first. */
async function repeats(db: Db, rest: number, modulus: number): Promise<number[]> {
  const kept = await row<{ first: string | null; last: string | null }>(
    db,
    sql`select min(id) as first, max(id) as last from record_batches`,
  )
  const begin = Number(kept?.first ?? 0) * recordsPerBatchId
  const end = (Number(kept?.last ?? 0) + 1) * recordsPerBatchId - 1
  const last = Math.floor((end - rest) / modulus)
  const first = Math.max(0, Math.ceil((begin - rest) / modulus))
  const count = Math.min(Math.max(0, last - first + 1), candidatesMax)
  return Array.from({ length: count }, (_, back) => (last - back) * modulus + rest)
}

/** The records of these gateways among them. A record is found in the time of its batch, so by its key. */
async function readMessages(
  db: Db,
  gatewayIds: readonly number[],
  recordIds: readonly number[],
): Promise<MessageRow[]> {
  const batchIds = recordIds.map((id) => Math.floor(id / recordsPerBatchId))
  const spans = await rows<{ id: string; count: number; from: string; to: string }>(
    db,
    sql`select id, record_count as count, created_from::text as from, created_to::text as to from record_batches
        where id = any(${[...new Set(batchIds)]}::bigint[])`,
  )
  const spanOf = new Map(spans.map((span) => [Number(span.id), span]))
  const sought = recordIds.flatMap((id, index) => {
    const span = spanOf.get(batchIds[index] ?? 0)
    return span === undefined || id % recordsPerBatchId >= span.count ? [] : [{ ...span, recordId: id }]
  })
  if (sought.length === 0) return []
  return rows<MessageRow>(
    db,
    sql`select r.id, r.created_at as "createdAt", r.updated_at as "updatedAt", n.number, r.sender, r.status, r.flags,
          r.data_coding as "dataCoding", r.segment_reference as reference, r.segment_total as total,
          r.segment_sequence as position, r.sms_count as "smsCount", g.name as "systemId",
          d.status as "receiptStatus", d.attempts, d.last_attempt_at as "triedAt", d.error
        from unnest(${sought.map(({ recordId }) => recordId)}::bigint[],
            ${sought.map(({ from }) => from)}::timestamptz[], ${sought.map(({ to }) => to)}::timestamptz[])
            as sought (id, "from", "to")
          join records r on r.id = sought.id and r.created_at between sought."from" and sought."to"
          join gateways g on g.id = r.gateway_id join numbers n on n.id = r.number_id
          left join bind_deliveries d on d.record_id = r.id and d.kind = 'receipt'
        where r.gateway_id = any(${[...gatewayIds]}::int[])
        order by r.created_at desc, r.id desc limit ${matchesMax}`,
  )
}

function toReply(message: MessageRow, { now, masks }: Viewing): OwnMessage {
  const { reference, total, position } = message
  const mask = masks ? maskNumber : (text: string) => text
  return {
    messageId: messageIdOf({ createdAtMs: message.createdAt.getTime(), recordId: Number(message.id) }),
    createdAt: message.createdAt.toISOString(),
    updatedAt: message.updatedAt.toISOString(),
    phoneNumber: mask(message.number),
    sender: mask(message.sender),
    status: recordStatuses[message.status] ?? 'pending',
    dataCoding: message.dataCoding,
    part: reference === null || total === null || position === null ? null : { reference, total, position },
    smsCount: message.smsCount,
    systemId: message.systemId,
    receipt: {
      state: receiptStateOf(message, now),
      at: message.triedAt?.toISOString() ?? null,
      attempts: message.attempts ?? 0,
      error: message.error ?? '',
    },
  }
}

function receiptStateOf({ receiptStatus, flags, status, updatedAt }: MessageRow, now: Date): ReceiptState {
  if (receiptStatus === 'delivered') return 'taken'
  if (receiptStatus === 'failed') return 'not_taken'
  if (receiptStatus === 'pending') return 'waiting'
  const isFinal = status >= finalFrom
  const isFailure = recordStatuses[status] === 'failed' || recordStatuses[status] === 'no_report'
  const wantsFailure = (flags & recordFlags.wantsFailureReceipt) !== 0
  if ((flags & recordFlags.wantsReceipt) === 0 && (!wantsFailure || (isFinal && !isFailure))) return 'none'
  if (!isFinal) return 'later'
  return now.getTime() - updatedAt.getTime() > receiptKeptMs ? 'forgotten' : 'waiting'
}
