// From a transaction that is listed, or named by a person, to stored transfers: only what its receipt in an irreversible block shows.
import { transaction } from '../../platform/transaction.ts'
import { backoffMs } from '../../platform/work/backoff.ts'
import { addressBytes, toAddress } from '../../rates/index.ts'
import { type BillingDeps, noteTransfers, type SeenTransfer, wakeChecks } from '../../billing/index.ts'
import type { TronSettings } from '../../tron/index.ts'
import {
  isFailed,
  loggedTransfers,
  type LoggedTransfer,
  findReceipt,
  lookUp,
  type TransactionReceipt,
} from '../../tron/index.ts'
import { dueCandidates, postponeCandidate, removeCandidate, type WaitingTransaction } from './reader-store.ts'

const receiptsMax = 60
const receiptsAtOnce = 5
// A node may need a minute to call a block irreversible that it lists already.
const lookPause = { firstMs: 5_000, maxMs: 3_600_000 }
// A transaction that no block took expires within a day. The rest is for nodes that lag.
const namedMs = 7 * 86_400_000

/** Looks up the receipts that are due, some at a time. */
export async function storeDueCandidates(
  deps: BillingDeps,
  tron: TronSettings,
  addresses: readonly string[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const left = await dueCandidates(deps.db, tron.usdtContract, deps.clock.now(), receiptsMax)
  const wallets = new Set(addresses.map((address) => addressBytes(address) ?? ''))
  left.reverse()
  const worker = async () => {
    for (let next = left.pop(); next !== undefined && signal?.aborted !== true; next = left.pop())
      await storeOne(deps, tron, wallets, next)
  }
  await Promise.all(Array.from({ length: receiptsAtOnce }, worker))
}

async function storeOne(
  deps: BillingDeps,
  tron: TronSettings,
  wallets: ReadonlySet<string>,
  waiting: WaitingTransaction,
): Promise<void> {
  const { db, clock, egress } = deps
  const network = tron.usdtContract
  const { txid, look_count: count } = waiting
  const receipt = await findReceipt(egress, tron, txid)
  const now = clock.now()
  // Nodes are known to show a success before its logs.
  if (receipt === undefined || (!isFailed(receipt) && receipt.log.length === 0)) {
    if (await isMistyped(deps, tron, waiting, receipt)) return removeCandidate(db, network, txid)
    const pauseMs = backoffMs(Math.min(count + 1, 20), lookPause)
    return postponeCandidate(db, network, txid, new Date(now.getTime() + pauseMs))
  }
  const sent = isFailed(receipt) ? [] : sentBy(wallets, loggedTransfers(receipt, addressBytes(network) ?? ''))
  await transaction(db, async (tx) => {
    if (sent.length > 0)
      await noteTransfers(
        tx,
        { network, txid, blockAt: new Date(receipt.blockTimeStamp), isFinal: true, seenAt: now },
        sent,
      )
    await wakeChecks(tx, txid, now)
    await removeCandidate(tx, network, txid)
  })
}

/**
 * Whether the hash was mistyped: a person named it more than a week ago, and its transaction moved no token or no node
 * knows it.
 */
async function isMistyped(
  { egress, clock }: BillingDeps,
  tron: TronSettings,
  { txid, is_listed: isListed, listed_at: namedAt }: WaitingTransaction,
  receipt: TransactionReceipt | undefined,
): Promise<boolean> {
  if (isListed || clock.now().getTime() - namedAt.getTime() <= namedMs) return false
  return receipt !== undefined || (await lookUp(egress, tron, txid)) === 'unknown'
}

/** What went from our wallets to others. */
function sentBy(wallets: ReadonlySet<string>, transfers: readonly LoggedTransfer[]): SeenTransfer[] {
  return transfers
    .filter(({ from, to }) => wallets.has(from) && !wallets.has(to))
    .map(({ from, to, ...transfer }) => ({ ...transfer, from: toAddress(from), to: toAddress(to) }))
}
