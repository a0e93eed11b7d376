// One transfer for several debts of one client: what a payment run sends.
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { AuditActor } from '../../audit/index.ts'
import type { Db } from '../../platform/db.ts'
import { bookReceived, updateDebtState, type BookingDeps } from './book.ts'
import { isUnderWay, lockClientDebts, lockDebt, userOf, type DebtId } from '../debts/debt-store.ts'
import { insertPayment, livePayments, lockHash } from './payment-store.ts'
import { lockTransfer } from './transfer-store.ts'
import { objectOf } from './pay.ts'

/** A part of a transfer, and the bill or payout that it pays. */
export interface DebtPart {
  readonly debtId: DebtId
  /** Above 0. More than is due is a surplus, which a person decides on. */
  readonly amountMicro: bigint
}

interface TransferBooking {
  /** A final transfer, as noted. */
  readonly transferId: string
  /** Each debt once; together at most what is not booked of the transfer yet. */
  readonly parts: readonly DebtPart[]
  /** Whether the transfer comes from one of our wallets. */
  readonly isOurs: boolean
  /** Who asked for it, for example by drafting the payment run; he is shown as the one who paid. */
  readonly requestedBy: number
  /** Who books it: a person, or the system. */
  readonly actor: AuditActor
  readonly ip: string
  /** The payment run that it is for. */
  readonly runId?: string
  readonly notes: string
}

/**
 * Books a transfer to several debts of one client, each by a payment of its own, within the caller's transaction.
 * Approval is the caller's duty. Returns the payments' ids in the order of `parts`.
 *
 * Throws Refusal not_found (no such transfer or debt), wrong_state (a payment of a debt is under way), invalid (debts
 * of two clients, another address, the same debt twice) and taken (more than is left of the transfer).
 */
export async function bookTransfer(tx: Db, deps: BookingDeps, booking: TransferBooking): Promise<string[]> {
  const { transferId, parts } = booking
  // Debts are locked in one order by everybody, and before the transfer.
  const inOrder = [...parts.entries()].toSorted(([, a], [, b]) =>
    keyOf(a.debtId) < keyOf(b.debtId) ? -1 : 1,
  )
  const users = new Set<number>()
  const keys = new Set<string>()
  for (const [, { debtId, amountMicro }] of inOrder) {
    const userId = await userOf(tx, debtId)
    if (userId === undefined) throw new Refusal('not_found', 'There is no such bill or payout.')
    if (!users.has(userId)) await lockClientDebts(tx, userId)
    await lockDebt(tx, debtId)
    if (await isUnderWay(tx, debtId)) throw underWay(debtId)
    if (amountMicro <= 0n) throw new Refusal('invalid', 'Each part of a transfer must be above 0.')
    users.add(userId)
    keys.add(keyOf(debtId))
  }
  if (users.size > 1) throw new Refusal('invalid', 'One transfer never pays debts of two clients.')
  if (keys.size < parts.length) throw new Refusal('invalid', 'The same debt is named twice.')
  const transfer = await lockTransfer(tx, transferId)
  if (transfer === undefined) throw new Refusal('not_found', 'There is no such final transfer.')
  const left = BigInt(transfer.amount_micro) - BigInt(transfer.booked_micro)
  if (parts.reduce((sum, { amountMicro }) => sum + amountMicro, 0n) > left)
    throw new Refusal('taken', 'The transfer has paid something else already.')
  await lockHash(tx, transfer.txid)
  const payments = new Map<number, string>()
  for (const [index, part] of inOrder) payments.set(index, await bookPart(tx, deps, booking, part, transfer))
  return parts.map((_, index) => payments.get(index) ?? '')
}

function underWay(debtId: DebtId): Refusal {
  const { objectId: id } = objectOf(debtId)
  return new Refusal(
    'wrong_state',
    debtId.kind === 'period'
      ? sentence('A payment of bill {id} is under way. Wait for the result.', { id })
      : sentence('A payment of payout {id} is under way. Wait for the result.', { id }),
  )
}

const keyOf = (debtId: DebtId): string => objectOf(debtId).objectType + objectOf(debtId).objectId

async function bookPart(
  tx: Db,
  deps: BookingDeps,
  { transferId, isOurs, requestedBy, actor, ip, runId, notes }: TransferBooking,
  { debtId, amountMicro }: DebtPart,
  transfer: { readonly txid: string; readonly to_address: string },
): Promise<string> {
  const debt = await lockDebt(tx, debtId)
  if (debt === undefined) throw new Error('The debt is gone')
  if (debt.usdt_address !== transfer.to_address)
    throw new Refusal('invalid', "The transfer goes to another address than the bill's.")
  const dueMicro = BigInt(debt.due_micro)
  const isExact = amountMicro === dueMicro
  const places = (await livePayments(tx, [transfer.txid])).map(({ hash_place: place }) => place)
  const paymentId = await insertPayment(tx, debtId, {
    user_id: debt.user_id,
    // Late, after it was paid in full: nothing was due.
    amount_micro: dueMicro === 0n ? amountMicro : dueMicro,
    usdt_address: transfer.to_address,
    transaction_hash: transfer.txid,
    status: isExact ? 'confirmed' : 'pending',
    verification: isExact
      ? isOurs
        ? 'verified'
        : 'unverified'
      : amountMicro < dueMicro
        ? 'underpaid'
        : 'overpaid',
    requested_by: requestedBy,
    notes,
    hash_place: Math.max(-1, ...places) + 1,
    created_at: deps.clock.now(),
  })
  const parts = [{ transferId, amountMicro }]
  const booked = { debtId, debt, paymentId, actorId: actor.userId ?? undefined }
  await bookReceived(tx, deps, { ...booked, receivedMicro: amountMicro, parts })
  await updateDebtState(tx, deps, { debtId, paymentId, isFailed: !isExact })
  const { objectType, objectId } = objectOf(debtId)
  const after = {
    ...(runId !== undefined && { run: runId }),
    paymentId,
    transactionHash: transfer.txid,
    received: formatMicro(amountMicro, 2),
  }
  await deps.audit.record(tx, {
    actor,
    ip,
    action: `${objectType}.book_transfer`,
    objectType,
    objectId,
    after,
  })
  return paymentId
}
