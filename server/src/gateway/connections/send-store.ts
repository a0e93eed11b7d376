// SQL for the messages that people send over a connection, and for their receipts. The owner's writes are fenced.
import { sql } from 'kysely'
import { changed, row, rows, type Db } from '../../platform/db.ts'
import { lockItem } from '../../platform/locks/locks.ts'
import { fencedTransaction } from '../../platform/work/leases.ts'
import { transaction } from '../../platform/transaction.ts'
import type { LinkOwner } from './state-store.ts'

/** The encryption context of a message's text. */
export function textContext(sendId: string): string {
  return `connection_sends.sealed_text:${sendId}`
}

interface NewSend {
  readonly connectionId: number
  readonly from: string
  readonly to: string
  readonly createdBy: string
}

/** Queues a message for the link's owner, and deletes those older than a week. */
export async function insertSend(tx: Db, send: NewSend): Promise<string> {
  await sql`
    delete from connection_sends
    where connection_id = ${send.connectionId} and created_at < clock_timestamp() - interval '7 days'`.execute(
    tx,
  )
  const added = await row<{ id: string }>(
    tx,
    sql`
      insert into connection_sends (connection_id, sender, recipient, created_by, created_at)
      values (${send.connectionId}, ${send.from}, ${send.to}, ${send.createdBy}, clock_timestamp()) returning id`,
  )
  if (added === undefined) throw new Error('The new message has no id')
  return added.id
}

export async function setSendText(tx: Db, id: string, encrypted: Buffer): Promise<void> {
  await sql`update connection_sends set sealed_text = ${encrypted} where id = ${id}`.execute(tx)
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
        update connection_sends set status = 'failed', done_at = clock_timestamp(), sealed_text = null,
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
        returning id, sender as "from", recipient as "to", sealed_text as "encryptedText"`,
    )
    // An update returns its rows in any order.
    return claimed.toSorted((a, b) => Number(a.id) - Number(b.id))
  })
}

/** Marks a message as sent, stores the keys of its receipts, and takes over a receipt that arrived before this. */
export async function markSent(db: Db, owner: LinkOwner, id: string, keys: readonly string[]): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    await lockReceipts(tx, owner.connectionId)
    await sql`
      update connection_sends set status = 'sent', message_keys = ${[...keys]}::text[], sealed_text = null,
        error_code = null, error = '', done_at = clock_timestamp() where id = ${id}`.execute(tx)
    const early = await row<{ receipt: string; received_at: Date }>(
      tx,
      sql`
        with claimed as (
          delete from connection_receipts
          where connection_id = ${owner.connectionId} and message_key = any(${[...keys]}::text[])
          returning receipt, received_at
        )
        select receipt, received_at from claimed order by received_at desc limit 1`,
    )
    if (early !== undefined)
      await sql`update connection_sends set receipt = ${early.receipt}, receipt_at = ${early.received_at}
        where id = ${id}`.execute(tx)
  })
}

/** Stores why a message has not left yet; it is tried again. */
export async function markWaiting(db: Db, owner: LinkOwner, id: string, error: SendError): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    await sql`update connection_sends set error_code = ${error.code}, error = ${error.text} where id = ${id}`.execute(
      tx,
    )
  })
}

export async function markFailed(db: Db, owner: LinkOwner, id: string, error: SendError): Promise<void> {
  await fencedTransaction(db, owner.lease, async (tx) => {
    await sql`
      update connection_sends set status = 'failed', error_code = ${error.code}, error = ${error.text},
        sealed_text = null, done_at = clock_timestamp() where id = ${id}`.execute(tx)
  })
}

/** Stores a receipt with its message, or by itself until the message's own answer arrives. */
export async function fileReceipt(
  db: Db,
  connectionId: number,
  receipt: { readonly key: string; readonly state: string },
): Promise<void> {
  await transaction(db, async (tx) => {
    await lockReceipts(tx, connectionId)
    const count = await changed(
      tx,
      sql`
        update connection_sends set receipt = ${receipt.state}, receipt_at = clock_timestamp()
        where connection_id = ${connectionId} and message_keys @> array[${receipt.key}]::text[]`,
    )
    if (count > 0) return
    await sql`
      delete from connection_receipts
      where connection_id = ${connectionId} and received_at < clock_timestamp() - interval '1 day'`.execute(
      tx,
    )
    await sql`
      insert into connection_receipts (connection_id, message_key, receipt, received_at)
      values (${connectionId}, ${receipt.key}, ${receipt.state}, clock_timestamp())
      on conflict (connection_id, message_key) do update
      set receipt = excluded.receipt, received_at = excluded.received_at`.execute(tx)
  })
}

/** An answer and its receipt may be stored at the same time. The lock makes sure that one of them sees the other. */
async function lockReceipts(tx: Db, connectionId: number): Promise<void> {
  await lockItem(tx, 'receipts', connectionId)
}
