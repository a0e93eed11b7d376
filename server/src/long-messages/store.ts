// SQL of the long messages.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../platform/db.ts'
import { recordFlags, recordsOfBatches, type LogBatch, type LogPosition } from '../ingest/index.ts'
import {
  isComplete,
  joinWithinMs,
  messagesPerKeyMax,
  type LongMessage,
  type LongMessageKey,
  type Segment,
} from './assign-segments.ts'

/** The segments in these batches, in the order in which they were stored. */
export async function segmentsOf(tx: Db, batches: readonly LogBatch[]): Promise<Segment[]> {
  const found = await rows<Omit<Segment, 'recordId' | 'createdAtMs'> & { id: string; createdAt: Date }>(
    tx,
    sql`select id, created_at as "createdAt", number_id as "numberId", gateway_id as "gatewayId",
          client_id as "clientId", sender, segment_reference as reference, segment_total as total,
          segment_sequence as sequence, flags & ${recordFlags.duplicateSuspect} <> 0 as "isDuplicateSuspect"
        from ${recordsOfBatches(batches)} where segment_total > 1 order by id`,
  )
  return found.map(({ id, createdAt, ...segment }) => ({
    ...segment,
    recordId: Number(id),
    createdAtMs: createdAt.getTime(),
  }))
}

interface LongMessageRow extends LongMessageKey {
  readonly id: string
  readonly recordIds: (string | null)[]
  readonly createdAts: (Date | null)[]
  readonly lastAt: Date
  readonly endedAt: Date | null
}

const columns =
  sql.raw(`m.id, m.number_id as "numberId", m.gateway_id as "gatewayId", m.client_id as "clientId",
  m.sender, m.reference, m.total, m.record_ids as "recordIds", m.created_ats as "createdAts", m.last_at as "lastAt",
  m.ended_at as "endedAt"`)

function fromRow({ id, recordIds, createdAts, lastAt, endedAt, ...key }: LongMessageRow): LongMessage {
  return {
    ...key,
    id: Number(id),
    recordIds: recordIds.map((each) => (each === null ? null : Number(each))),
    createdAtsMs: createdAts.map((each) => each?.getTime() ?? null),
    lastAtMs: lastAt.getTime(),
    isEnded: endedAt !== null,
  }
}

/** The newest messages with the key of a segment, for each segment. */
export async function messagesFor(tx: Db, segments: readonly Segment[]): Promise<LongMessage[]> {
  const found = await rows<LongMessageRow>(
    tx,
    sql`select distinct ${columns}
        from (
          select number_id, gateway_id, client_id, sender, reference, total, min(at) - ${joinWithinMs} * interval '1 ms' as since
          from unnest(
            ${segments.map(({ numberId }) => numberId)}::int[], ${segments.map(({ gatewayId }) => gatewayId)}::int[],
            ${segments.map(({ clientId }) => clientId)}::int[], ${segments.map(({ sender }) => sender)}::text[],
            ${segments.map(({ reference }) => reference)}::int[], ${segments.map(({ total }) => total)}::smallint[],
            ${segments.map(({ createdAtMs }) => new Date(createdAtMs))}::timestamptz[]
          ) s (number_id, gateway_id, client_id, sender, reference, total, at)
          group by 1, 2, 3, 4, 5, 6
        ) k
        cross join lateral (
          select * from long_messages m
          where m.number_id = k.number_id and m.sender = k.sender and m.reference = k.reference and m.total = k.total
            and m.last_at >= k.since and m.gateway_id = k.gateway_id and m.client_id is not distinct from k.client_id
          order by m.last_at desc limit ${messagesPerKeyMax}
        ) m`,
  )
  return found.map(fromRow)
}

/** The message of a segment; undefined when it is not joined yet, or too long ago. */
export async function messageOf(
  db: Db,
  segment: LongMessageKey & Pick<Segment, 'recordId' | 'createdAtMs'>,
): Promise<LongMessage | undefined> {
  const { numberId, gatewayId, clientId, sender, reference, total, recordId, createdAtMs } = segment
  const [from, to] = [-joinWithinMs, joinWithinMs].map((offsetMs) => new Date(createdAtMs + offsetMs))
  const found = await row<LongMessageRow>(
    db,
    sql`select ${columns} from long_messages m
        where m.number_id = ${numberId} and m.sender = ${sender} and m.reference = ${reference} and m.total = ${total}
          and m.last_at between ${from} and ${to} and m.gateway_id = ${gatewayId}
          and m.client_id is not distinct from ${clientId}
        -- A repetition is in no message; the nearest one is the one that it repeats.
        order by ${recordId} = any(m.record_ids) desc nulls last,
          abs(extract(epoch from m.last_at - ${new Date(createdAtMs)}::timestamptz)) limit 1`,
  )
  return found && fromRow(found)
}

/** A message by its id; undefined when it was removed after its time. */
export async function messagesById(db: Db, ids: readonly number[]): Promise<LongMessage[]> {
  const found = await rows<LongMessageRow>(
    db,
    sql`select ${columns} from long_messages m where m.id = any(${[...ids]}::bigint[])`,
  )
  return found.map(fromRow)
}

/** Stores new and changed messages; gives those that became complete by it and had not ended before. */
export async function saveMessages(
  tx: Db,
  messages: readonly LongMessage[],
  waitMs: number,
): Promise<EndedMessage[]> {
  const newCount = messages.filter(({ id }) => id === undefined).length
  const taken = await rows<{ id: string }>(
    tx,
    sql`select nextval(pg_get_serial_sequence('long_messages', 'id')) as id
        from generate_series(1, ${newCount}::int)`,
  )
  const ids = messages.map(({ id }) => id ?? Number(taken.shift()?.id))
  // SQL arrays of arrays must be rectangular, so each message's are passed as text.
  await sql`
    insert into long_messages as m (id, number_id, gateway_id, client_id, sender, reference, total, record_ids,
      created_ats, last_at, due_at, ended_at, ended_xid)
    overriding system value
    select id, number_id, gateway_id, client_id, sender, reference, total, record_ids::bigint[],
      created_ats::timestamptz[], last_at, clock_timestamp() + ${waitMs} * interval '1 ms',
      case when is_complete then clock_timestamp() end, case when is_complete then log_xid(pg_current_xact_id()) end
    from unnest(${ids}::bigint[], ${messages.map(({ numberId }) => numberId)}::int[],
      ${messages.map(({ gatewayId }) => gatewayId)}::int[], ${messages.map(({ clientId }) => clientId)}::int[],
      ${messages.map(({ sender }) => sender)}::text[], ${messages.map(({ reference }) => reference)}::int[],
      ${messages.map(({ total }) => total)}::smallint[],
      ${messages.map(({ recordIds }) => arrayText(recordIds.map(String)))}::text[],
      ${messages.map(({ createdAtsMs }) => arrayText(createdAtsMs.map(timeText)))}::text[],
      ${messages.map(({ lastAtMs }) => new Date(lastAtMs))}::timestamptz[], ${messages.map(isComplete)}::boolean[])
      as s (id, number_id, gateway_id, client_id, sender, reference, total, record_ids, created_ats, last_at, is_complete)
    on conflict (id) do update set record_ids = excluded.record_ids, created_ats = excluded.created_ats,
      last_at = excluded.last_at, due_at = least(m.created_at + interval '1 day', excluded.due_at),
      ended_at = coalesce(m.ended_at, excluded.ended_at),
      ended_xid = case when m.ended_at is null then excluded.ended_xid else m.ended_xid end`.execute(tx)
  return messages.flatMap((message, index) =>
    isComplete(message) && !message.isEnded ? [{ ...message, id: ids[index] ?? 0 }] : [],
  )
}

const arrayText = (values: readonly string[]): string => `{${values.join(',')}}`
const timeText = (timeMs: number | null): string =>
  timeMs === null ? 'null' : new Date(timeMs).toISOString()

/** A message that is complete, or whose time is over. */
export type EndedMessage = LongMessage & { readonly id: number }

export async function hasDue(db: Db): Promise<boolean> {
  const due = await row(
    db,
    sql`select 1 from long_messages where ended_at is null and due_at <= clock_timestamp() limit 1`,
  )
  return due !== undefined
}

/** Ends messages whose time is over, the longest due first. */
export async function endDue(tx: Db, limit: number): Promise<EndedMessage[]> {
  const found = await rows<LongMessageRow>(
    tx,
    sql`update long_messages m set ended_at = clock_timestamp(), ended_xid = log_xid(pg_current_xact_id())
        where id in (
          select id from long_messages where ended_at is null and due_at <= clock_timestamp() order by due_at limit ${limit}
        )
        returning ${columns}`,
  )
  return found.map((message) => ({ ...fromRow(message), id: Number(message.id) }))
}

/** The end of a message in the log. */
export interface EndOfMessage {
  readonly position: LogPosition
  readonly message: LongMessage
}

// A message has up to 255 segments, whose texts a reader may ask for.
const segmentsAtOnce = 2_000

/**
 * The ends after one position and up to another in the order of the log, about `limit` at most. `isEnd` says whether these
 * are all of them.
 */
export async function readEnds(
  db: Db,
  { after, upTo, ownerId, limit }: ReadEnds,
): Promise<{ readonly ends: EndOfMessage[]; readonly isEnd: boolean }> {
  // Within transaction `upTo.xid`, the end of a message comes after the records and changes.
  const start = after.kind === 2 ? after : { xid: after.xid, log: 0 }
  const found = await rows<LongMessageRow & { xid: string }>(
    db,
    sql`select ${columns}, m.ended_xid::text as xid from long_messages m
        where (m.ended_xid, m.id) > (${String(start.xid)}::xid8, ${start.log}::bigint) and m.ended_xid is not null
          and m.ended_xid < ${String(upTo.xid)}::xid8
          ${ownerId === undefined ? sql`` : sql`and m.client_id = ${ownerId}`}
        order by m.ended_xid, m.id limit ${limit}`,
  )
  let segments = 0
  const ends: EndOfMessage[] = []
  for (const { xid, ...message } of found) {
    if (segments >= segmentsAtOnce) break
    segments += message.total
    const position: LogPosition = { xid: BigInt(xid), kind: 2, log: Number(message.id), nth: 0 }
    ends.push({ position, message: fromRow(message) })
  }
  return { ends, isEnd: ends.length === found.length && found.length < limit }
}

interface ReadEnds {
  readonly after: LogPosition
  /** A position that `readLog` gave: everything before its transaction is final. */
  readonly upTo: LogPosition
  /** Only this client's. */
  readonly ownerId: number | undefined
  readonly limit: number
}

/** Deletes messages that ended before then, at most `limit`; gives how many. */
export function pruneMessages(db: Db, before: Date, limit: number): Promise<number> {
  return changed(
    db,
    sql`delete from long_messages where id in (
          select id from long_messages where ended_at < ${before} order by ended_at limit ${limit}
        )`,
  )
}
