// Transaction hashes of many payments at once: every line by the same rules as a single payment, all or none.
import { transactionHashSchema } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { BatchReport } from '@tollgate/contract/treasury.ts'
import type { LedgerLine } from '../ledger/index.ts'
import { execute, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingParts, By } from './parts.ts'
import { pay } from './pay.ts'
import { findPayment, lockDebt, type Target } from './payment-store.ts'
import type { WantedPayment } from './read-batch.ts'
import { parsePeriodId } from './rules.ts'
import { readShared, type SharedReceipts } from './share-hash.ts'

type Line = BatchReport['lines'][number]

/** What the lines' hashes need to be known of. See {@link readShared}. */
export function readBatchReceipts(
  parts: BillingParts,
  wanted: readonly WantedPayment[],
): Promise<SharedReceipts> {
  const hashes = wanted.map(({ transactionHash }) => transactionHashSchema.safeParse(transactionHash).data)
  return readShared(
    parts,
    hashes.filter((hash) => hash !== undefined),
  )
}

interface Batch {
  readonly wanted: readonly WantedPayment[]
  readonly receipts: SharedReceipts
  readonly by: By
}

/**
 * Pays each line's bill or payout by its hash, in one transaction. A trial does all of it and takes it back. Lines that
 * are refused are in the report.
 */
export async function importBatch(parts: BillingParts, batch: Batch, isTrial: boolean): Promise<BatchReport> {
  return transaction(parts.db, async (tx) => {
    // Taken back by savepoint, since an outer transaction (the Idempotency-Key's) goes on.
    await execute(tx, 'savepoint batch')
    const report = await payAll(tx, parts, batch)
    const isApplied = !isTrial && report.refusedCount === 0
    if (!isApplied) await execute(tx, 'rollback to savepoint batch')
    return { ...report, isApplied }
  })
}

async function payAll(tx: Db, parts: BillingParts, { wanted, ...given }: Batch): Promise<BatchReport> {
  // Ledger lines wait for the end: whoever posts holds the traffic gate until the transaction ends.
  const entries: LedgerLine[] = []
  const post = async (_: Db, lines: readonly LedgerLine[]) => {
    entries.push(...lines)
    return 0n
  }
  const within = { ...parts, db: tx, ledger: { ...parts.ledger, post } }
  const lines: Line[] = []
  // In the order of what they lock, so that two imports take turns instead of waiting for each other.
  for (const each of wanted.toSorted((a, b) => (a.reference < b.reference ? -1 : 1)))
    lines.push(await payOne(tx, within, each, given))
  const refusedCount = lines.filter(({ outcome }) => outcome === 'refused').length
  if (refusedCount === 0 && entries.length > 0) await parts.ledger.post(tx, entries)
  return { isApplied: false, refusedCount, lines: lines.toSorted((a, b) => a.line - b.line) }
}

async function payOne(
  tx: Db,
  within: BillingParts,
  wanted: WantedPayment,
  { by, receipts }: Omit<Batch, 'wanted'>,
): Promise<Line> {
  const { line, reference, transactionHash } = wanted
  await execute(tx, 'savepoint line')
  try {
    const target = targetOf(reference)
    const hash = transactionHashSchema.safeParse(transactionHash)
    if (target === undefined) throw new Refusal('invalid', 'This is the reference of no bill and no payout.')
    if (!hash.success) throw new Refusal('invalid', 'A transaction hash has 64 hexadecimal digits.')
    await checkAmount(tx, target, wanted.amount)
    await pay(within, target, hash.data, by, receipts)
    const debt = await lockDebt(tx, target)
    const payment = debt?.payment_id == null ? undefined : await findPayment(tx, debt.payment_id)
    const outcome =
      payment?.awaits_approval === true
        ? 'awaits_approval'
        : payment?.status === 'confirmed'
          ? 'paid'
          : 'confirming'
    return { line, reference, transactionHash, outcome, message: '' }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    await execute(tx, 'rollback to savepoint line')
    return { line, reference, transactionHash, outcome: 'refused', message: error.message }
  }
}

/** The exported file may come back with its amounts: they must still be those of the bills. */
async function checkAmount(tx: Db, target: Target, amount: string | undefined): Promise<void> {
  if (amount === undefined || amount === '') return
  const debt = await lockDebt(tx, target)
  if (debt !== undefined && parseMicro(amount) !== BigInt(debt.amount_micro))
    throw new Refusal('invalid', `The file says ${amount} USDT, which is not the amount of this bill.`)
}

function targetOf(reference: string): Target | undefined {
  const payout = /^payout-(\d{1,18})$/.exec(reference)?.[1]
  if (payout !== undefined) return { kind: 'payout', id: payout }
  const period = parsePeriodId(reference)
  return period && { kind: 'period', ...period }
}
