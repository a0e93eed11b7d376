// Reads what left our wallets. The node's list of an account's transfers only says which transactions to look at; what
// is stored comes from their receipts in irreversible blocks. So a list may overlap, lag, lie or forget without harm.
import { transaction } from '../../platform/transaction.ts'
import { backoffMs } from '../../platform/work/backoff.ts'
import type { BillingDeps } from '../../billing/index.ts'
import type { TronSettings } from '../../tron/index.ts'
import { listOutgoing, type TransferPage } from '../../tron/index.ts'
import { storeDueCandidates } from './store-transfers.ts'
import {
  addListed,
  addReadings,
  countListed,
  dueReadings,
  saveFault,
  saveListProgress,
  type WalletReading,
} from './reader-store.ts'

// A tenth of what TronGrid lets one key do in a day, with ten wallets.
const everyMs = 10_000
const faultPause = { firstMs: 10_000, maxMs: 600_000 }
// What went out before the wallet was known to us: enough for whoever pays first and then enters the wallet.
const startBeforeMs = 86_400_000
// A node may list a transfer later than one of a later block.
const overlapMs = 600_000
// Clocks differ. A later block than this is a lie, and would make the reader miss what comes before it.
const futureMaxMs = 600_000
// For all wallets in one turn: 4,000 transfers, about 2 MB.
const pagesMax = 20
// When more listed transactions than this wait for their receipts, the node lists what it does not show. No further
// list is read until the receipts are there.
const listedMax = 5_000

/** One turn: a bounded part of each wallet's list, then the receipts that are due. May run twice at once. */
export async function readTreasury(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  const { db, clock, tron } = deps
  if (tron === undefined) return
  const addresses = await deps.treasuryAddresses.get(db)
  if (addresses.length === 0) return
  const now = clock.now()
  await addReadings(db, tron.usdtContract, addresses, { from: new Date(now.getTime() - startBeforeMs), now })
  let pagesLeft = pagesMax
  const { count } = await countListed(db, tron.usdtContract, now)
  if (count < listedMax)
    for (const reading of await dueReadings(db, tron.usdtContract, addresses, now)) {
      if (pagesLeft <= 0 || signal?.aborted === true) break
      pagesLeft -= await readList({ deps, tron, signal }, reading, pagesLeft)
    }
  await storeDueCandidates(deps, tron, addresses, signal)
}

interface Turn {
  readonly deps: BillingDeps
  readonly tron: TronSettings
  readonly signal: AbortSignal | undefined
}

/** Reads at most `limit` pages of a wallet's list. Returns how many it asked for. */
async function readList(turn: Turn, reading: WalletReading, limit: number): Promise<number> {
  const { deps, tron, signal } = turn
  const startMs =
    reading.resumes_at?.getTime() ??
    Math.max(reading.reads_from.getTime(), reading.read_to.getTime() - overlapMs)
  let position: PagePosition = { fromMs: startMs, fingerprint: undefined }
  for (let count = 1; ; count += 1) {
    const answer = await listOutgoing(deps.egress, tron, { address: reading.address, ...position, signal })
    // The job was told to stop: nothing is wrong with the node.
    if (signal?.aborted === true) return count
    if (answer.kind !== 'value') {
      const isLimit = answer.kind === 'limit'
      await fail(
        turn,
        reading,
        isLimit ? 'The node asks for a pause.' : answer.message,
        isLimit ? answer.pauseMs : 0,
      )
      return count
    }
    const page = answer.value
    if ((page.lastMs ?? 0) > deps.clock.now().getTime() + futureMaxMs) {
      await fail(turn, reading, 'The node lists a transfer of the future.', 0)
      return count
    }
    const next = page.isFull ? nextPosition(position, page) : undefined
    await save(turn, reading, page, { next, isLast: count >= limit })
    if (next === undefined || count >= limit) return count
    position = next
  }
}

/** Where a page of the list begins. */
interface PagePosition {
  readonly fromMs: number
  readonly fingerprint: string | undefined
}

/**
 * The position after a full page. Without a fingerprint it is the time of the page's last line; a page whose lines are
 * all of one time is stepped over.
 */
function nextPosition(
  { fromMs }: PagePosition,
  { lastMs = fromMs, fingerprint }: TransferPage,
): PagePosition {
  if (fingerprint !== undefined) return { fromMs, fingerprint }
  return { fromMs: lastMs > fromMs ? lastMs : fromMs + 1, fingerprint: undefined }
}

/** Notes a page's transactions, and in the same transaction how far the list is read. */
async function save(
  { deps, tron }: Turn,
  { address, read_to: readTo }: WalletReading,
  page: TransferPage,
  { next, isLast }: { readonly next: PagePosition | undefined; readonly isLast: boolean },
): Promise<void> {
  const now = deps.clock.now()
  const reachedMs = Math.max(readTo.getTime(), page.lastMs ?? 0)
  // A fingerprint is not kept: the next turn goes on from the last time that was read, or from the millisecond after
  // it.
  const resumesMs = next && Math.max(next.fromMs, page.lastMs ?? 0)
  await transaction(deps.db, async (tx) => {
    await addListed(tx, tron.usdtContract, page.txids, now)
    await saveListProgress(tx, tron.usdtContract, address, {
      readTo: new Date(reachedMs),
      resumesAt: resumesMs === undefined ? null : new Date(resumesMs),
      now,
      nextReadAt: next !== undefined && isLast ? now : new Date(now.getTime() + everyMs),
    })
  })
}

async function fail(
  { deps, tron }: Turn,
  { address, fault_count: count }: WalletReading,
  fault: string,
  pauseMs = 0,
): Promise<void> {
  const now = deps.clock.now()
  const waitMs = Math.min(faultPause.maxMs, Math.max(pauseMs, backoffMs(count + 1, faultPause)))
  await saveFault(deps.db, tron.usdtContract, address, {
    fault,
    now,
    nextReadAt: new Date(now.getTime() + waitMs),
  })
}
