// SQL for the flight recorder. Captured PDUs reach the node that shows them through the database.
import { sql } from 'kysely'
import type { Direction } from '@tollgate/smpp/session/session-types.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import type { DecodedCapture } from './decode-captured.ts'

interface CapturedRow extends DecodedCapture {
  readonly link: string
  readonly session: string
  readonly at: Date
  readonly direction: Direction
  readonly octets: number
  readonly address: string
}

// The recorder is a window on recent traffic, not an archive.
const pdusPerLinkMax = 1_000

/** Switches a link on for 15 minutes, or off. Returns when it switches off by itself. */
export async function switchLink(tx: Db, link: string, isOn: boolean): Promise<Date | null> {
  if (!isOn) {
    await sql`delete from flight_switches where link = ${link}`.execute(tx)
    return null
  }
  const found = await row<{ on_until: Date }>(
    tx,
    sql`insert into flight_switches (link, on_until) values (${link}, clock_timestamp() + interval '15 minutes')
        on conflict (link) do update set on_until = excluded.on_until returning on_until`,
  )
  return found?.on_until ?? null
}

export async function onUntil(db: Db, link: string): Promise<Date | null> {
  const found = await row<{ on_until: Date }>(
    db,
    sql`select on_until from flight_switches where link = ${link} and on_until > clock_timestamp()`,
  )
  return found?.on_until ?? null
}

export async function switchedOnLinks(db: Db): Promise<string[]> {
  const found = await rows<{ link: string }>(
    db,
    sql`select link from flight_switches where on_until > clock_timestamp()`,
  )
  return found.map(({ link }) => link)
}

/** Stores captured PDUs. The status column is a signed integer, while a peer may send any 32 bits. */
export async function addPdus(db: Db, pdus: readonly CapturedRow[]): Promise<void> {
  await sql`
    insert into flight_pdus (link, session, at, direction, command, status, sequence, octets, message_id, fields,
      address)
    select * from unnest(${pdus.map(({ link }) => link)}::text[], ${pdus.map(({ session }) => session)}::text[],
      ${pdus.map(({ at }) => at)}::timestamptz[], ${pdus.map(({ direction }) => direction)}::text[],
      ${pdus.map(({ command }) => command)}::text[], ${pdus.map(({ status }) => status | 0)}::int[],
      ${pdus.map(({ sequence }) => sequence)}::bigint[], ${pdus.map(({ octets }) => octets)}::int[],
      ${pdus.map(({ messageId }) => messageId)}::text[],
      ${pdus.map(({ fields }) => JSON.stringify(fields))}::jsonb[],
      ${pdus.map(({ address }) => address)}::text[])`.execute(db)
}

/** Deletes all but the last PDUs of each of these links, and everything older than an hour. */
export async function deleteOld(db: Db, links: readonly string[]): Promise<void> {
  await sql`
    delete from flight_pdus p using unnest(${[...links]}::text[]) as l (link)
    where p.link = l.link and p.id <= (
      select id from flight_pdus where link = l.link order by id desc offset ${pdusPerLinkMax} limit 1
    )`.execute(db)
  await sql`delete from flight_pdus where at < clock_timestamp() - interval '1 hour'`.execute(db)
}

interface FlightFilter {
  readonly messageId?: string | undefined
  readonly direction?: Direction | undefined
  readonly command?: string | undefined
  readonly errors?: 'true' | 'false' | undefined
  readonly limit: number
}

export interface FoundPdu extends Omit<CapturedRow, 'address'> {
  readonly id: string
  /** Time until the answer; null without one. */
  readonly answerMs: number | null
}

/** The newest first. A request shows the message_id of its answer: the next PDU with its sequence number. */
export async function findPdus(
  db: Db,
  link: string,
  { messageId, direction, command, errors, limit }: FlightFilter,
): Promise<FoundPdu[]> {
  const messageIdFilter = messageId === undefined || messageId === '' ? null : messageId
  // Refused binds are also found by the address of the peer.
  const address = /^address-(.+)$/.exec(link)?.[1]
  const whose = address === undefined ? sql`p.link = ${link}` : sql`p.address = ${address}`
  const commands = command === undefined ? null : [command, `${command}_resp`]
  const found = await rows<Omit<FoundPdu, 'sequence'> & { sequence: string }>(
    db,
    sql`select p.id, p.link, p.session, p.at, p.direction, p.command, p.status, p.sequence, p.octets, p.fields,
          m.id as "messageId", round(extract(epoch from answer.at - p.at) * 1000)::int as "answerMs"
        from flight_pdus p
        left join lateral (
          select a.message_id, a.at from flight_pdus a
          where a.session = p.session and a.sequence = p.sequence and a.id > p.id and a.direction <> p.direction
            and p.command not like '%\\_resp' order by a.id limit 1
        ) answer on true
        cross join lateral (select coalesce(nullif(p.message_id, ''), answer.message_id, '') as id) m
        where ${whose}
          and (${messageIdFilter}::text is null or m.id = ${messageIdFilter}::text)
          and (${commands}::text[] is null or p.command = any(${commands}::text[]))
          and (${direction ?? null}::text is null or p.direction = ${direction ?? null}::text)
          and (${errors === 'true'}::boolean is false or p.status <> 0)
        order by p.id desc limit ${limit}`,
  )
  return found.map((each) => ({ ...each, status: each.status >>> 0, sequence: Number(each.sequence) }))
}
