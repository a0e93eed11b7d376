// SQL for the messages that people send over a connection, and for their receipts. The owner's writes are fenced.
import { sql } from 'kysely'
import type { connectionsRoutes } from '@tollgate/contract/connections/connections.ts'
import type { RouteReply } from '@tollgate/contract/route.ts'
import { replyRows } from '../http/reply.ts'
import { rows, type Db } from '../platform/db.ts'
import { lockItem } from '../platform/locks/locks.ts'
import { fencedTransaction } from '../platform/work/leases.ts'
import { transaction } from '../platform/transaction.ts'
import { stateAfter, stateOfAll } from '@tollgate/smpp/text/receipt-states.ts'
import type { LinkOwner } from './state-store.ts'

/** The encryption context of a message's text. */
export function textContext(sendId: string): string {
  return `connection_sends.encrypted_text:${sendId}`
}

interface NewSend {
  readonly connectionId: number
  readonly from: string
  readonly to: string
  readonly createdBy: string
}

/** Queues a message for the link's owner, and deletes those older than a week. */
export async function insertSend(tx: Db, send: NewSend): Promise<string> {
  await tx
    .deleteFrom('connection_sends')
    .where('connection_id', '=', send.connectionId)
    .where('created_at', '<', sql<Date>`clock_timestamp() - interval '7 days'`)
    .execute()
  const { id } = await tx
    .insertInto('connection_sends')
    .values({
      connection_id: send.connectionId,
      sender: send.from,
      recipient: send.to,
      created_by: send.createdBy,
      created_at: sql<Date>`clock_timestamp()`,
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export async function setSendText(tx: Db, id: string, encrypted: Buffer): Promise<void> {
  await tx.updateTable('connection_sends').set({ encrypted_text: encrypted }).where('id', '=', id).execute()
}

export interface QueuedSend {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly encryptedText: Buffer | null
}

interface SendError {
  readonly code: number | null
  readonly text: string
}

/** Claims queued messages, oldest first. The first call fails those that an earlier owner began: they may have left. */
export async function claimSends(
  db: Db,
  owner: LinkOwner,
  { isFirst, limit }: { readonly isFirst: boolean; readonly limit: number },
): Promise<QueuedSend[]> {
  return fencedTransaction(db, owner.lease, async (tx) => {
    if (isFirst)
      await sql`
        update connection_sends set status = 'failed', done_at = clock_timestamp(), encrypted_text = null,
          error = 'The gateway stopped while it was being sent; it may have left.'
        where connection_id = ${owner.connectionId} and status = 'sending'`.execute(tx)
    const claimed = await rows<QueuedSend>(
      tx,
      sql`
        update connection_sends set status = 'sending'
        where id in (
          select id from connection_sends where connection_id = ${owner.connectionId} and status = 'queued'
          order by id limit ${limit} for update
        )
        returning id, sender as "from", recipient as "to", encrypted_text as "encryptedText"`,
    )
    // An update returns its rows in any order.
    return claimed.toSorted((a, b) => Number(a.id) - Number(b.id))
  })
}

/** Marks a message as sent, stores the keys of its receipts, and takes over receipts that arrived before this. */
export async function markSent(db: Db, owner: LinkOwner, id: string, keys: readonly string[]): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    const peer = await lockPeer(tx, owner.connectionId)
    const early = await tx
      .deleteFrom('connection_receipts')
      .where('connection_id', '=', sql<number>`any(${peer}::int[])`)
      .where('message_key', '=', sql<string>`any(${[...keys]}::text[])`)
      .returning(['message_key as key', 'receipt', 'received_at as at'])
      .execute()
    const states = keys.map((key) => early.find((each) => each.key === key)?.receipt ?? '')
    const at = early.map((each) => each.at).toSorted((one, other) => Number(other) - Number(one))[0] ?? null
    await sql`
      update connection_sends set status = 'sent', message_keys = ${[...keys]}::text[], encrypted_text = null,
        error_code = null, error = '', done_at = clock_timestamp(), part_states = ${states}::text[],
        receipt = ${stateOfAll(states)}, receipt_at = ${at} where id = ${id}`.execute(tx)
  })
}

/** Stores why a message has not left yet; it is tried again. */
export async function markWaiting(db: Db, owner: LinkOwner, id: string, error: SendError): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    await tx
      .updateTable('connection_sends')
      .set({ error_code: error.code, error: error.text })
      .where('id', '=', id)
      .execute()
  })
}

export async function markFailed(db: Db, owner: LinkOwner, id: string, error: SendError): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    await sql`
      update connection_sends set status = 'failed', error_code = ${error.code}, error = ${error.text},
        encrypted_text = null, done_at = clock_timestamp() where id = ${id}`.execute(tx)
  })
}

/** A receipt as it is stored; its octets as receipt-octets.ts shows them. */
export interface FiledReceipt {
  readonly key: string
  readonly state: string
  readonly octets: string
}

/**
 * Stores a receipt with its message, or by itself until the message's own answer arrives. It may come over any connection
 * of the peer, as when one transmits and another one receives.
 */
export async function fileReceipt(db: Db, connectionId: number, receipt: FiledReceipt): Promise<void> {
  await transaction(db, async (tx) => {
    const peer = await lockPeer(tx, connectionId)
    if (receipt.key !== '' && (await fileWithMessage(tx, peer, receipt))) return
    await tx
      .deleteFrom('connection_receipts')
      .where('connection_id', '=', connectionId)
      .where('received_at', '<', sql<Date>`clock_timestamp() - interval '7 days'`)
      .execute()
    if ((unmatchedCount += 1) % prunedEvery === 0) await pruneUnmatched(tx, connectionId)
    const before = await tx
      .selectFrom('connection_receipts')
      .select('receipt')
      .where('connection_id', '=', sql<number>`any(${peer}::int[])`)
      .where('message_key', '=', receipt.key)
      .executeTakeFirst()
    const state = stateAfter(before?.receipt ?? '', receipt.state)
    await sql`
      insert into connection_receipts (connection_id, message_key, receipt, octets, received_at)
      values (${connectionId}, ${receipt.key}, ${state}, ${receipt.octets}, clock_timestamp())
      on conflict (connection_id, message_key) do update
      set receipt = excluded.receipt, octets = excluded.octets, received_at = excluded.received_at,
        receipt_count = connection_receipts.receipt_count + 1`.execute(tx)
  })
}

// An upstream that sends receipts for other people's messages must not fill the table: the oldest go.
const unmatchedMax = 10_000
const prunedEvery = 500
let unmatchedCount = 0

async function pruneUnmatched(tx: Db, connectionId: number): Promise<void> {
  await sql`
    delete from connection_receipts where connection_id = ${connectionId} and received_at < (
      select received_at from connection_receipts where connection_id = ${connectionId}
      order by received_at desc offset ${unmatchedMax} limit 1
    )`.execute(tx)
}

/** The receipts of the last week that belong to no message, the newest first. */
export function unmatchedReceipts(
  db: Db,
  connectionId: number,
): Promise<RouteReply<typeof connectionsRoutes.listUnmatchedReceipts>> {
  return replyRows(
    db,
    sql`
      select message_key as message_id, receipt, octets, receipt_count::float8 as count, received_at
      from connection_receipts
      where connection_id = ${connectionId} and received_at > clock_timestamp() - interval '7 days'
      order by received_at desc, message_key limit 200`,
  )
}

/** Adds a receipt to the newest message of the peer that has its key; false when there is none. */
async function fileWithMessage(
  tx: Db,
  peer: readonly number[],
  { key, state }: { readonly key: string; readonly state: string },
): Promise<boolean> {
  const send = await tx
    .selectFrom('connection_sends')
    .select(['id', 'message_keys as keys', 'part_states as states'])
    .where('connection_id', '=', sql<number>`any(${[...peer]}::int[])`)
    .where(sql<boolean>`message_keys @> array[${key}]::text[]`)
    .orderBy('id', 'desc')
    .limit(1)
    .forUpdate()
    .executeTakeFirst()
  if (send === undefined) return false
  const states = send.keys.map((own, index) => {
    const before = send.states[index] ?? ''
    return own === key ? stateAfter(before, state) : before
  })
  await tx
    .updateTable('connection_sends')
    .set({ part_states: states, receipt: stateOfAll(states), receipt_at: sql<Date>`clock_timestamp()` })
    .where('id', '=', send.id)
    .execute()
  return true
}

/**
 * The connections to the same peer: those with the same host and account. An answer and its receipt may be stored at the
 * same time; the lock on the peer makes sure that one of them sees the other.
 */
async function lockPeer(tx: Db, connectionId: number): Promise<number[]> {
  const connections = await rows<{ id: number; peer: string }>(
    tx,
    sql`select p.id, lower(o.host) || ' ' || o.system_id as peer
        from smpp_connections o join smpp_connections p on lower(p.host) = lower(o.host) and p.system_id = o.system_id
        where o.id = ${connectionId}`,
  )
  await lockItem(tx, 'receipts', connections[0]?.peer ?? '')
  return connections.map(({ id }) => id)
}
