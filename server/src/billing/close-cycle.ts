// Closing a cycle: bills and their ledger lines with the gate closed, then lines and payouts with the traffic running.
import { sql } from 'kysely'
import { systemActor } from '../audit/index.ts'
import { findOpenCycle, type Cycle, type LedgerLine } from '../ledger/index.ts'
import { execute, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingParts } from './parts.ts'
import {
  adjustLines,
  clearItems,
  countItems,
  findUnitemised,
  insertBills,
  insertCycleBills,
  insertLines,
  insertPayouts,
  payoutTotals,
  setItemised,
  type BillTotal,
} from './store.ts'
import { createdBetween } from './views.ts'

const bill = 1
const payout = 2

/** Closes every cycle that is due, one transaction each, and itemises what waits. Harmless on any number of nodes. */
export async function closeDueCycles(parts: BillingParts, signal?: AbortSignal): Promise<void> {
  while (signal?.aborted !== true && (await closeOne(parts)) !== undefined) await itemise(parts)
  await itemise(parts)
}

async function closeOne(parts: BillingParts): Promise<Cycle | undefined> {
  const { db, clock, ledger, audit, settings } = parts
  const now = clock.now()
  const open = await findOpenCycle(db)
  if (open === undefined || open.endsAt > now) return undefined
  return transaction(db, async (tx) => {
    const waitDays = await settings.payableAfterDays.get(tx)
    const cycle = await ledger.closeDueCycle(tx, now)
    if (cycle === undefined) return undefined
    await insertCycleBills(tx, cycle.id)
    const totals = await insertBills(tx, cycle.id, now, new Date(now.getTime() + waitDays * 86_400_000))
    const next = await findOpenCycle(tx)
    const lines = totals.flatMap((total) => closingLines(cycle.id, next?.id ?? cycle.id, total))
    if (lines.length > 0) await ledger.post(tx, lines)
    await audit.record(tx, {
      actor: systemActor,
      ip: '',
      action: 'cycle.close',
      objectType: 'cycle',
      objectId: String(cycle.id),
      after: {
        endsAt: cycle.endsAt.toISOString(),
        bills: totals.filter(({ totalMicro }) => totalMicro > 0n).length,
      },
    })
    return cycle
  })
}

/** payable → billed. What is owed to us (a correction larger than the traffic) is carried into the next cycle. */
function closingLines(cycleId: number, nextId: number, { userId, totalMicro, residualMicro }: BillTotal) {
  const line = (rest: Partial<LedgerLine> & { amountMicro: bigint }): LedgerLine => ({
    cycleId,
    userId,
    account: 'payable',
    kind: totalMicro > 0n ? 'bill' : 'carry',
    reference: `${cycleId}-${userId}`,
    ...rest,
  })
  return [
    line({ amountMicro: residualMicro - totalMicro, settlement: bill }),
    line({ amountMicro: -residualMicro, settlement: payout }),
    totalMicro > 0n
      ? line({ account: 'billed', amountMicro: totalMicro })
      : line({ cycleId: nextId, amountMicro: totalMicro }),
  ].filter(({ amountMicro }) => amountMicro !== 0n)
}

/** Writes lines and payouts of closed cycles. The cycle's records are final, so this needs no gate. */
async function itemise({ db, ledger }: BillingParts): Promise<void> {
  for (let isMore = true; isMore;)
    isMore = await transaction(db, async (tx) => {
      // Ten million records take longer to sum than a statement of a page may.
      await execute(tx, 'set local statement_timeout = 0')
      const cycle = await findUnitemised(tx)
      if (cycle === undefined) return false
      await writeItems(tx, cycle.id)
      const totals = await payoutTotals(tx, cycle.id)
      const lines = totals.flatMap(({ userId, totalMicro }): LedgerLine[] => [
        payoutLine(cycle.id, userId, 'payable', -totalMicro),
        payoutLine(cycle.id, userId, 'billed', totalMicro),
      ])
      if (lines.length > 0) await ledger.post(tx, lines)
      await setItemised(tx, cycle.id)
      return true
    })
}

function payoutLine(cycleId: number, userId: number, account: 'payable' | 'billed', amountMicro: bigint) {
  return {
    cycleId,
    userId,
    account,
    amountMicro,
    settlement: payout,
    kind: 'bill',
    reference: `payouts-${cycleId}`,
  }
}

/** Looks where the cycle's batches say its records are; everywhere when the counters know of more. */
async function writeItems(tx: Db, cycleId: number): Promise<void> {
  for (const bounds of [await createdBetween(tx, cycleId), sql`true`]) {
    await clearItems(tx, cycleId)
    await insertLines(tx, cycleId, bounds)
    await insertPayouts(tx, cycleId, bounds)
    if (await countItems(tx, cycleId)) break
  }
  await adjustLines(tx, cycleId)
}
