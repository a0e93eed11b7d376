// SQL on transfers that were seen on the chain, and on what they are booked to.
import { sql } from 'kysely'
import { rows, type Db, type Row } from '../../platform/db.ts'

/** A transfer as the chain shows it. Addresses as people write them. */
export interface SeenTransfer {
  readonly logIndex: number
  readonly from: string
  readonly to: string
  readonly amountMicro: bigint
}

interface SeenTransaction {
  /** The token's contract. */
  readonly network: string
  /** In lower case. */
  readonly txid: string
  readonly blockAt: Date
  readonly isFinal: boolean
  readonly seenAt: Date
}

const transferColumns = ['id', 'log_index', 'to_address', 'txid', 'amount_micro', 'booked_micro'] as const

export type TransferRow = Pick<Row<'transfers'>, (typeof transferColumns)[number]>

/**
 * Notes transfers of one transaction, and returns them in the order of their log, locked until the caller's transaction
 * ends. One that is known stays as it is, but becomes final when it is seen as final.
 */
export function noteTransfers(
  tx: Db,
  { network, txid, blockAt, isFinal, seenAt }: SeenTransaction,
  transfers: readonly SeenTransfer[],
): Promise<TransferRow[]> {
  return rows(
    tx,
    sql`insert into transfers (network, txid, log_index, from_address, to_address, amount_micro, block_at, is_final, first_seen_at)
        select ${network}, ${txid}, i, from_address, to_address, amount_micro, ${blockAt}::timestamptz, ${isFinal},
          ${seenAt}::timestamptz
        from unnest(
          ${transfers.map(({ logIndex }) => logIndex)}::int[], ${transfers.map(({ from }) => from)}::text[],
          ${transfers.map(({ to }) => to)}::text[], ${transfers.map(({ amountMicro }) => amountMicro)}::bigint[]
        ) t (i, from_address, to_address, amount_micro) order by i
        on conflict (network, txid, log_index) do update set is_final = transfers.is_final or excluded.is_final
        returning id, log_index, to_address, txid, amount_micro, booked_micro`,
  )
}

export function lockTransfer(tx: Db, id: string): Promise<TransferRow | undefined> {
  return tx
    .selectFrom('transfers')
    .select(transferColumns)
    .where('id', '=', id)
    .where('is_final', '=', true)
    .forUpdate()
    .executeTakeFirst()
}

/** Which part of a transfer a payment takes. */
export interface TransferPart {
  readonly transferId: string
  readonly amountMicro: bigint
}

/** Books parts of transfers to a payment. The table refuses to book more of a transfer than it has. */
export async function bookParts(tx: Db, paymentId: string, booked: readonly TransferPart[]): Promise<void> {
  await sql`with parts as (
      insert into payment_transfers (payment_id, transfer_id, amount_micro)
      select ${paymentId}::bigint, * from unnest(
        ${booked.map(({ transferId }) => transferId)}::bigint[], ${booked.map(({ amountMicro }) => amountMicro)}::bigint[])
      returning transfer_id, amount_micro
    )
    update transfers t set booked_micro = booked_micro + p.amount_micro from parts p where t.id = p.transfer_id`.execute(
    tx,
  )
}

/** Frees what a rejected payment had taken: another debt may be paid by it. */
export async function releaseParts(tx: Db, paymentId: string): Promise<void> {
  await sql`with parts as (
      delete from payment_transfers where payment_id = ${paymentId}::bigint returning transfer_id, amount_micro
    )
    update transfers t set booked_micro = booked_micro - p.amount_micro from parts p where t.id = p.transfer_id`.execute(
    tx,
  )
}

/** The log indexes of a transaction that have paid something, each with a payment. */
export function bookedLogs(
  tx: Db,
  network: string,
  txid: string,
): Promise<{ log_index: number; payment_id: string }[]> {
  return tx
    .selectFrom('transfers as t')
    .innerJoin('payment_transfers as p', 'p.transfer_id', 't.id')
    .select(['t.log_index', 'p.payment_id'])
    .where('t.network', '=', network)
    .where('t.txid', '=', txid)
    .execute()
}
