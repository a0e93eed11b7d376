// Books transfers that were read to the payment runs that asked for them. Two persons agreed to address and amount of each
// line before, so a transfer that is exactly that needs no third word. Anything else is left to people.
import { systemActor } from '../audit/index.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { transaction } from '../platform/transaction.ts'
import { type BillingDeps, bookTransfer } from '../billing/index.ts'
import { partsOf } from '../treasury/index.ts'
import { listFits, lockLine, setMatched, type TransferFit } from './match-store.ts'
import { endRun, listRunDebts, listSettledRuns, lockRun } from './run-store.ts'

// Blocks and we have different clocks.
const toleranceMs = 300_000

/** Books what fits, and closes the runs of which everything is paid. May run twice at once. */
export async function matchRuns(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  const { db, tron } = deps
  if (tron !== undefined) {
    const wallets = await deps.treasuryAddresses.get(db)
    const fits = await listFits(db, { network: tron.usdtContract, wallets, toleranceMs })
    for (const fit of pairsOf(fits)) {
      if (signal?.aborted === true) return
      await bookFit(deps, fit)
    }
  }
  for (const { id } of await listSettledRuns(db)) await closeSettled(deps, id)
}

/**
 * One transfer for each line, oldest first. Where lines of two clients want the same amount at the same address, none is
 * booked before there are transfers for all of them: nobody could say whose it is.
 */
function pairsOf(fits: readonly TransferFit[]): TransferFit[] {
  const [lines, transfers] = [new Set<string>(), new Set<string>()]
  const isNamed = (fit: TransferFit) => fit.is_named
  return [...fits.filter(isNamed), ...fits.filter((fit) => !isNamed(fit))].filter((fit) => {
    if (lines.has(fit.line_id) || transfers.has(fit.transfer_id)) return false
    if (!fit.is_named && isDoubtful(fit, fits)) return false
    lines.add(fit.line_id)
    transfers.add(fit.transfer_id)
    return true
  })
}

function isDoubtful({ address, amount_micro: micro }: TransferFit, fits: readonly TransferFit[]): boolean {
  const alike = fits.filter((fit) => !fit.is_named && fit.address === address && fit.amount_micro === micro)
  const count = (key: keyof TransferFit) => new Set(alike.map((fit) => fit[key])).size
  return count('user_id') > 1 && count('transfer_id') < count('line_id')
}

async function bookFit(deps: BillingDeps, fit: TransferFit): Promise<void> {
  const work = transaction(deps.db, async (tx) => {
    // Somebody else was first: the line has its transfer.
    if (!(await lockLine(tx, fit.line_id))) return
    const debts = await listRunDebts(tx, fit.run_id, fit.line_id)
    const due = debts.map(({ reference, due_micro: micro }) => ({ reference, dueMicro: BigInt(micro) }))
    const parts = partsOf(due, BigInt(fit.amount_micro))
    if (parts.length === 0) return
    await setMatched(tx, fit.line_id, fit.transfer_id)
    await bookTransfer(tx, deps, {
      transferId: fit.transfer_id,
      parts,
      isOurs: true,
      requestedBy: fit.drafted_by,
      actor: systemActor,
      ip: '',
      runId: fit.run_id,
      notes: `Payment run ${fit.run_id}`,
    })
  })
  await work.catch((error: unknown) => {
    // A payment of the debt is under way, or somebody booked the transfer just now: the next turn looks again.
    if (!(error instanceof Refusal)) throw error
  })
}

async function closeSettled(deps: BillingDeps, id: string): Promise<void> {
  await transaction(deps.db, async (tx) => {
    if ((await lockRun(tx, id))?.status !== 'exported') return
    await endRun(tx, id, { status: 'closed', by: null, at: deps.clock.now(), reason: '' })
    await deps.audit.record(tx, {
      actor: systemActor,
      ip: '',
      action: 'payment_run.close',
      objectType: 'payment_run',
      objectId: id,
      after: { reason: 'Everything in it is paid.' },
    })
  })
}
