// SQL on the proof that wallet and ledger agree: what left our wallets, and what the ledger says was paid.
import { sql, type RawBuilder } from 'kysely'
import { onlyRow, type Db, type Row } from '../../platform/db.ts'
import { isExplained } from './transfer-conditions.ts'

/** The wallets whose transfers are compared, and since when. */
export interface ProofScope {
  readonly network: string
  readonly wallets: readonly string[]
  readonly from: Date
}

interface ProofSums {
  readonly sent_micro: string
  readonly booked_micro: string
  readonly explained_micro: string
  readonly ledger_micro: string
}

const isInScope = ({ network, wallets, from }: ProofScope): RawBuilder<unknown> =>
  sql`t.network = ${network} and t.is_final and t.block_at >= ${from}
    and t.from_address = any(${[...wallets]}::text[]) and t.to_address <> all(${[...wallets]}::text[])`

/**
 * Sums since the scope's begin. A payment counts when a transfer of the scope is booked on it, or when it was written
 * down since then without any transfer.
 */
async function sumProof(db: Db, scope: ProofScope): Promise<ProofSums> {
  const found = await onlyRow<ProofSums>(
    db,
    sql`with sent as (
          select t.id, t.amount_micro, t.booked_micro, ${isExplained} as is_explained
          from transfers t where ${isInScope(scope)}
        ), paid as (
          select sum(l.amount_micro) as micro from payments y
          join ledger_lines l on l.reference = y.id::text and l.kind = 'payment' and l.account = 'paid'
          where exists (select from payment_transfers p join sent on sent.id = p.transfer_id where p.payment_id = y.id)
            or (y.created_at >= ${scope.from} and not exists (select from payment_transfers p where p.payment_id = y.id))
        )
        select coalesce(sum(amount_micro), 0)::text as sent_micro, coalesce(sum(booked_micro), 0)::text as booked_micro,
          coalesce(sum(amount_micro - booked_micro) filter (where is_explained), 0)::text as explained_micro,
          coalesce((select micro from paid), 0)::text as ledger_micro
        from sent`,
  )
  return found
}

export type ProofRow = Row<'treasury_proofs'>

/** Sent minus explained minus paid. */
export const differenceOf = (proof: ProofRow): bigint =>
  BigInt(proof.sent_micro) - BigInt(proof.explained_micro) - BigInt(proof.ledger_micro)

/** Nothing is unbooked, unseen or unread. */
export const isEqual = (proof: ProofRow): boolean =>
  differenceOf(proof) === 0n && proof.booked_micro === proof.ledger_micro && proof.unread_micro === '0'

export function findNewestProof(db: Db, network: string): Promise<ProofRow | undefined> {
  const proofs = db.selectFrom('treasury_proofs').selectAll().where('network', '=', network)
  return proofs.orderBy('id', 'desc').limit(1).executeTakeFirst()
}

interface NewProof {
  readonly scope: ProofScope
  readonly at: Date
  readonly balanceMicro: bigint
  /** The proof before, if there is one. */
  readonly last: ProofRow | undefined
}

/** Writes a proof with the sums of now. */
export async function insertProof(tx: Db, { scope, at, balanceMicro, last }: NewProof): Promise<void> {
  const sums = await sumProof(tx, scope)
  const unreadMicro = last === undefined ? 0n : unreadSince(last, { scope, sums, balanceMicro })
  await tx
    .insertInto('treasury_proofs')
    .values({
      network: scope.network,
      proved_from: scope.from,
      proved_at: at,
      wallets: scope.wallets,
      balance_micro: balanceMicro,
      ...sums,
      unread_micro: unreadMicro,
    })
    .execute()
}

/**
 * By how much the balance fell beyond what was sent. Incoming transfers can only lower this figure, so it never reports
 * a missing transfer that does not exist.
 */
function unreadSince(
  last: ProofRow,
  { scope, sums, balanceMicro }: { scope: ProofScope; sums: ProofSums; balanceMicro: bigint },
): bigint {
  const isSameScope =
    last.proved_from.getTime() === scope.from.getTime() &&
    last.wallets.toSorted().join() === scope.wallets.toSorted().join()
  if (!isSameScope) return 0n
  const sentMicro = BigInt(sums.sent_micro) - BigInt(last.sent_micro)
  const missingMicro = BigInt(last.balance_micro) - balanceMicro - sentMicro
  // An amount that was missing at the last proof is still missing until its transfer is read.
  const unreadMicro = missingMicro + BigInt(last.unread_micro)
  return unreadMicro > 0n ? unreadMicro : 0n
}

/** Has the last days of every wallet's list read again, now. */
export async function readAgain(
  db: Db,
  { network, wallets }: ProofScope,
  { from, now }: { readonly from: Date; readonly now: Date },
): Promise<void> {
  await sql`update treasury_readings
    set resumes_at = greatest(reads_from, least(coalesce(resumes_at, ${from}::timestamptz), ${from}::timestamptz)),
      next_read_at = ${now}
    where network = ${network} and address = any(${[...wallets]}::text[])`.execute(db)
}
