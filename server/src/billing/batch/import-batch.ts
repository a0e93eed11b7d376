// Imports the transaction hashes of many payments. Each line follows the rules of a single payment; all are paid or none.
import { transactionHashSchema } from '@tollgate/contract/billing.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { PaymentBatchReport } from '@tollgate/contract/treasury.ts'
import type { LedgerLine } from '../../ledger/index.ts'
import { execute, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { BillingDeps } from '../deps.ts'
import type { Caller } from '../../platform/http/handlers.ts'
import { pay } from '../payments/pay.ts'
import { lockDebt, type DebtId } from '../debts/debt-store.ts'
import { findPayment } from '../payments/payment-store.ts'
import type { BatchLine } from './read-batch.ts'
import { parseReference } from '../rules.ts'
import { readSharedReceipts, type SharedReceipts } from '../payments/shared-hash.ts'

type LineReport = PaymentBatchReport['lines'][number]

/** The receipts of the lines' hashes, see {@link readSharedReceipts}. */
export function readBatchReceipts(deps: BillingDeps, lines: readonly BatchLine[]): Promise<SharedReceipts> {
  const hashes = lines.map(({ transactionHash }) => transactionHashSchema.safeParse(transactionHash).data)
  return readSharedReceipts(
    deps,
    hashes.filter((hash) => hash !== undefined),
  )
}

interface PaymentBatch {
  readonly lines: readonly BatchLine[]
  readonly receipts: SharedReceipts
  readonly by: Caller
}

/**
 * Pays each line's bill or payout by its hash, in one transaction. A trial does all of it and rolls it back, and so does
 * a batch with refused lines. The report names those.
 */
export async function importBatch(
  deps: BillingDeps,
  batch: PaymentBatch,
  isTrial: boolean,
): Promise<PaymentBatchReport> {
  return transaction(deps.db, async (tx) => {
    // A savepoint, because the outer transaction of the Idempotency-Key goes on.
    await execute(tx, 'savepoint batch')
    const report = await payAll(tx, deps, batch)
    const isApplied = !isTrial && report.refusedCount === 0
    if (!isApplied) await execute(tx, 'rollback to savepoint batch')
    return { ...report, isApplied }
  })
}

async function payAll(tx: Db, deps: BillingDeps, batch: PaymentBatch): Promise<PaymentBatchReport> {
  // Ledger lines are posted at the end, because posting takes the traffic gate until the transaction ends.
  const entries: LedgerLine[] = []
  const post = async (_: Db, lines: readonly LedgerLine[]) => {
    entries.push(...lines)
    return 0n
  }
  const txDeps = { ...deps, db: tx, ledger: { ...deps.ledger, post } }
  const reports: LineReport[] = []
  // Locks are taken in one order, so that two imports cannot deadlock.
  for (const line of batch.lines.toSorted((a, b) => (a.reference < b.reference ? -1 : 1)))
    reports.push(await payOne(tx, txDeps, line, batch))
  const refusedCount = reports.filter(({ outcome }) => outcome === 'refused').length
  if (refusedCount === 0 && entries.length > 0) await deps.ledger.post(tx, entries)
  return { isApplied: false, refusedCount, lines: reports.toSorted((a, b) => a.line - b.line) }
}

async function payOne(
  tx: Db,
  txDeps: BillingDeps,
  { line, reference, transactionHash, amount }: BatchLine,
  { by, receipts }: PaymentBatch,
): Promise<LineReport> {
  await execute(tx, 'savepoint line')
  try {
    const debtId = parseReference(reference)
    const hash = transactionHashSchema.safeParse(transactionHash)
    if (debtId === undefined) throw new Refusal('invalid', 'This is the reference of no bill and no payout.')
    if (!hash.success) throw new Refusal('invalid', 'A transaction hash has 64 hexadecimal digits.')
    await checkAmount(tx, debtId, amount)
    await pay(txDeps, { debtId, hash: hash.data, by }, receipts)
    const debt = await lockDebt(tx, debtId)
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

/** An exported file comes back with its amounts. They must still be what is due. */
async function checkAmount(tx: Db, debtId: DebtId, amount: string | undefined): Promise<void> {
  if (amount === undefined || amount === '') return
  const debt = await lockDebt(tx, debtId)
  if (debt !== undefined && parseMicro(amount) !== BigInt(debt.due_micro))
    throw new Refusal('invalid', `The file says ${amount} USDT, which is not what is due of this bill.`)
}
