// One transaction that pays several bills. What pays is a transfer, named by its place in the transaction's log, and
// each pays once; so a hash that is in use serves again only when the chain shows another transfer that fits.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../platform/db.ts'
import { addressBytes } from './address.ts'
import { judgeTransfer, type ExpectedTransfer } from './judge-transfer.ts'
import type { BillingParts, TronSettings } from './parts.ts'
import { claimedLogs, debtSince, livePayments, type LivePayment, type Target } from './payment-store.ts'
import { findReceipt, type TransactionReceipt } from './tron-node.ts'

/** Receipts of transactions whose hash is in use, by hash in lower case. */
export type SharedReceipts = ReadonlyMap<string, TransactionReceipt>

// A person waits, and a batch comes in few transactions.
const receiptTimeoutMs = 4_000
const receiptsMax = 50

const usedHash = (more: string) =>
  new Refusal('taken', `This transaction hash is used by another payment. ${more}`, {
    fields: { transactionHash: 'Used already' },
  })

/**
 * Asks the node about hashes that are in use or come twice. Ask before a transaction begins: a node may take its time,
 * and an open transaction holds others up.
 */
export async function readShared(
  { db, egress, tron }: Pick<BillingParts, 'db' | 'egress' | 'tron'>,
  hashes: readonly string[],
): Promise<SharedReceipts> {
  const found = new Map<string, TransactionReceipt>()
  if (tron === undefined) return found
  const once = new Set<string>()
  const shared = new Set<string>()
  for (const hash of hashes) {
    if (once.has(hash)) shared.add(hash)
    once.add(hash)
  }
  for (const { transaction_hash: hash } of await livePayments(db, [...once])) shared.add(hash)
  const asked = [...shared].slice(0, receiptsMax)
  const receipts = await Promise.all(asked.map((hash) => findReceipt(egress, tron, hash, receiptTimeoutMs)))
  for (const receipt of receipts) if (receipt !== undefined) found.set(receipt.id, receipt)
  return found
}

/** A payment as its transfer must be. */
interface Due {
  readonly hash: string
  readonly target: Target
  readonly address: string
  readonly amountMicro: bigint
}

/** What must be true of the transfer, other payments by the same transaction taken into account. */
export async function expectedOf(
  tx: Db,
  parts: Pick<BillingParts, 'treasuryAddresses'>,
  tron: TronSettings,
  due: Due,
  others: readonly LivePayment[],
): Promise<ExpectedTransfer> {
  const claimed = await claimedLogs(tx, tron.usdtContract, due.hash)
  const settled = new Set(claimed.map(({ payment_id: id }) => id))
  const beside = others.filter(({ id, usdt_address: to }) => !settled.has(id) && to === due.address)
  return {
    contract: addressBytes(tron.usdtContract) ?? '',
    to: addressBytes(due.address) ?? '',
    from: (await parts.treasuryAddresses.get(tx)).map((address) => addressBytes(address) ?? ''),
    amountMicro: due.amountMicro,
    notBefore: await debtSince(tx, due.target),
    claimed: new Set(claimed.map(({ log_index: index }) => index)),
    isShared: others.length > 0,
    othersMicro: beside.map(({ amount_micro: micro }) => BigInt(micro)),
  }
}

/** The place of a new payment under its hash. Throws Refusal taken when no transfer of the transaction is left for it. */
export async function placeUnder(
  tx: Db,
  parts: Pick<BillingParts, 'treasuryAddresses' | 'tron'>,
  due: Due,
  receipts: SharedReceipts,
): Promise<number> {
  const others = await livePayments(tx, [due.hash])
  if (others.length === 0) return 0
  const receipt = receipts.get(due.hash)
  // What was written down by hand says nothing of which transfer it means.
  const isUnclear = others.some(({ is_loose: isLoose }) => isLoose)
  if (parts.tron === undefined || isUnclear) throw usedHash('Check which transfer paid this one.')
  if (receipt === undefined)
    throw usedHash('If it has a transfer for this one too, try again once the network shows it as final.')
  const expected = await expectedOf(tx, parts, parts.tron, due, others)
  if (judgeTransfer(receipt, expected).verification !== 'verified')
    throw usedHash('It has no other transfer of this amount to this address.')
  return Math.max(...others.map(({ hash_place: place }) => place)) + 1
}
