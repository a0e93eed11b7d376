// SQL that finds the transfers that payment runs wait for.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import { isDecided } from '../treasury/index.ts'

/** A transfer that may be what a line of an exported run asked for. */
export interface TransferFit {
  readonly line_id: string
  readonly run_id: string
  readonly user_id: number
  readonly address: string
  readonly transfer_id: string
  /** The amount of the transfer. */
  readonly amount_micro: string
  /** A person named the transaction, so its amount may differ. */
  readonly is_named: boolean
  readonly drafted_by: number
}

interface FitScope {
  readonly network: string
  readonly wallets: readonly string[]
  readonly toleranceMs: number
}

/** Every pair of an unmatched line and a free transfer to its address, of its amount or named by a person. */
export function listFits(db: Db, { network, wallets, toleranceMs }: FitScope): Promise<TransferFit[]> {
  return rows(
    db,
    sql`select l.id as line_id, l.run_id, l.user_id, l.address, t.id as transfer_id, t.amount_micro,
          t.txid is not distinct from l.transaction_hash as is_named, r.drafted_by
        from payment_run_lines l join payment_runs r on r.id = l.run_id and r.status = 'exported'
        join transfers t on t.to_address = l.address and t.network = ${network} and t.is_final and t.booked_micro = 0
          and t.from_address = any(${[...wallets]}::text[])
          and t.block_at >= r.exported_at - ${toleranceMs}::float * interval '1 ms'
          and (t.txid = l.transaction_hash or (t.amount_micro = l.amount_micro and l.transaction_hash is null))
        where l.transfer_id is null and not ${isDecided}
          and exists (select from payment_run_debts b join debts d on d.reference = b.reference
            where b.line_id = l.id and d.due_micro > 0)
        order by t.block_at, t.id, l.id limit 2000`,
  )
}

/** Locks a line; false when it has its transfer. */
export async function lockLine(tx: Db, id: string): Promise<boolean> {
  const found = await tx
    .selectFrom('payment_run_lines')
    .select('id')
    .where('id', '=', id)
    .where('transfer_id', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return found !== undefined
}

export async function setMatched(tx: Db, id: string, transferId: string): Promise<void> {
  const { numUpdatedRows } = await tx
    .updateTable('payment_run_lines')
    .set({ transfer_id: transferId })
    .where('id', '=', id)
    .where('transfer_id', 'is', null)
    .executeTakeFirst()
  if (numUpdatedRows !== 1n) throw new Error('The line has its transfer already')
}
