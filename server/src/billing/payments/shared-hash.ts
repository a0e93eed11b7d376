// One transaction that pays several bills. A transaction may contain many transfers, each known by its log index, and
// each transfer pays once. So a hash that is in use is accepted again only when the chain shows another transfer in it
// that fits the bill.
import { Refusal } from '@tollgate/contract/errors.ts'
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import { brokenConstraint, type Db } from '../../platform/db.ts'
import { addressBytes } from '../../rates/index.ts'
import {
  judgeTransfer,
  type ExpectedTransfer,
  findReceipt,
  type TransactionReceipt,
} from '../../tron/index.ts'
import type { BillingDeps } from '../deps.ts'
import type { TronSettings } from '../../tron/index.ts'
import { owedSince, type DebtId } from '../debts/debt-store.ts'
import { livePayments, type LivePayment } from './payment-store.ts'
import { bookedLogs } from './transfer-store.ts'

/** Receipts of transactions whose hash is in use, by hash in lower case. */
export type SharedReceipts = ReadonlyMap<string, TransactionReceipt>

// Small, because a person waits. A batch of payments usually names few transactions.
const receiptTimeoutMs = 4_000
const receiptsMax = 50

class UsedHash extends Refusal {
  /** Whether the other payment was stored after this one had begun. */
  readonly isRace: boolean

  constructor(more: string, isRace: boolean) {
    super('taken', [sentence('This transaction hash is used by another payment.'), quote(more)], {
      fields: { transactionHash: 'Used already' },
    })
    this.isRace = isRace
  }
}

/** The Refusal of a hash that is in use. */
export const usedHash = (more: string): Refusal => new UsedHash(more, false)

/** The Refusal for an error that says that another payment took the same place of this hash; any other error as it is. */
export const asUsedHash = (error: unknown): unknown =>
  brokenConstraint(error) === 'payments_transaction_hash_key'
    ? new UsedHash('Check which transfer paid this one.', true)
    : error

// As many bills as one transaction pays may come at the same instant; each try lets one in at least.
const triesMax = 20

/**
 * Enters a payment with the receipts that it needs. Of payments that name one transaction at the same instant each sees the
 * others only once they are stored: then the receipt is read, and the payment tried again.
 */
export async function withSharedReceipts<T>(
  deps: Pick<BillingDeps, 'db' | 'egress' | 'tron'>,
  hash: string | undefined,
  enter: (receipts: SharedReceipts) => Promise<T>,
): Promise<T> {
  const hashes = hash === undefined ? [] : [hash]
  let receipts = await readSharedReceipts(deps, hashes)
  for (let tries = 1; ; tries += 1)
    try {
      return await enter(receipts)
    } catch (error) {
      const isLate = error instanceof UsedHash && (error.isRace || !receipts.has(hash ?? ''))
      if (!isLate || tries === triesMax) throw error
      const found = await readSharedReceipts(deps, hashes)
      if (!found.has(hash ?? '')) throw error
      receipts = found
    }
}

/**
 * Fetches the receipts of hashes that are in use, or that occur twice in `hashes`. To be called before a database
 * transaction begins: a node may take seconds, and an open transaction makes others wait.
 */
async function readSharedReceipts(
  { db, egress, tron }: Pick<BillingDeps, 'db' | 'egress' | 'tron'>,
  hashes: readonly string[],
): Promise<SharedReceipts> {
  const found = new Map<string, TransactionReceipt>()
  if (tron === undefined) return found
  const shared = new Set(hashes.filter((hash, index) => hashes.indexOf(hash) !== index))
  for (const { transaction_hash: hash } of await livePayments(db, hashes)) shared.add(hash)
  const requested = [...shared].slice(0, receiptsMax)
  const receipts = await Promise.all(
    requested.map((hash) => findReceipt(egress, tron, hash, receiptTimeoutMs)),
  )
  for (const receipt of receipts) if (receipt !== undefined) found.set(receipt.id, receipt)
  return found
}

/** A payment before it is verified. */
interface ExpectedPayment {
  readonly hash: string
  /** Undefined for a payment outside the bills: nothing says when its transfer may have been made. */
  readonly debtId: DebtId | undefined
  readonly address: string
  readonly amountMicro: bigint
  /** Default: the amount. */
  readonly dueMicro?: bigint
}

/** What the transfer must be like, given the `others`: payments that name the same transaction. */
export async function expectedTransfer(
  tx: Db,
  deps: Pick<BillingDeps, 'treasuryAddresses'>,
  tron: TronSettings,
  payment: ExpectedPayment,
  others: readonly LivePayment[],
): Promise<ExpectedTransfer> {
  const claimed = await bookedLogs(tx, tron.usdtContract, payment.hash)
  const settled = new Set(claimed.map(({ payment_id: id }) => id))
  const unsettled = others.filter(({ id, usdt_address: to }) => !settled.has(id) && to === payment.address)
  return {
    contract: addressBytes(tron.usdtContract) ?? '',
    to: addressBytes(payment.address) ?? '',
    from: (await deps.treasuryAddresses.get(tx)).map((address) => addressBytes(address) ?? ''),
    amountMicro: payment.amountMicro,
    dueMicro: payment.dueMicro ?? payment.amountMicro,
    notBefore: payment.debtId === undefined ? new Date(0) : await owedSince(tx, payment.debtId),
    claimed: new Set(claimed.map(({ log_index: index }) => index)),
    isShared: others.length > 0,
    othersMicro: unsettled.map(({ amount_micro: micro }) => BigInt(micro)),
  }
}

/**
 * The hash_place of a new payment: its position among the payments that name the same hash. Throws Refusal taken when
 * the transaction has no transfer left for it.
 */
export async function nextHashPlace(
  tx: Db,
  deps: Pick<BillingDeps, 'treasuryAddresses' | 'tron'>,
  payment: ExpectedPayment,
  receipts: SharedReceipts,
): Promise<number> {
  const others = await livePayments(tx, [payment.hash])
  if (others.length === 0) return 0
  const receipt = receipts.get(payment.hash)
  // A payment that a person entered without a bill does not say which transfer it was.
  const isUnclear = others.some(({ is_unallocated: isUnallocated }) => isUnallocated)
  if (deps.tron === undefined || isUnclear) throw usedHash('Check which transfer paid this one.')
  if (receipt === undefined)
    throw usedHash('If it has a transfer for this one too, try again once the network shows it as final.')
  const expected = await expectedTransfer(tx, deps, deps.tron, payment, others)
  const { verification } = judgeTransfer(receipt, expected)
  if (verification !== 'verified' && verification !== 'unverified')
    throw usedHash('It has no other transfer of this amount to this address.')
  return Math.max(...others.map(({ hash_place: place }) => place)) + 1
}
