// Closing a cycle. With the gate closed only the border is drawn: the cycle ends, the next one begins, and what is held
// is noted. Bills and their ledger lines, then lines and payouts, are made from the final counters with the traffic
// running.
import { sql } from 'kysely'
import { systemActor } from '../audit/index.ts'
import { findOpenCycle } from '../ledger/index.ts'
import { execute, type Db } from '../platform/db.ts'
import { transaction } from '../platform/transaction.ts'
import { dropLineSums, isBehind, sumLines } from './line-sums.ts'
import { mailBills, mailPayouts } from './mail-bills.ts'
import type { BillingParts } from './parts.ts'
import {
  adjustLines,
  billEntries,
  claimBills,
  clearItems,
  countItems,
  findUnbilled,
  findUnitemised,
  fromLineSums,
  fromRecords,
  insertBills,
  insertHeldRecords,
  insertItems,
  isAnythingDue,
  payoutEntries,
  setItemised,
} from './store.ts'
import { createdBetween } from './views.ts'

/** Closes every cycle that is due, makes the bills, and itemises what waits. Harmless on any number of nodes. */
export async function closeDueCycles(parts: BillingParts, signal?: AbortSignal): Promise<void> {
  if (!(await isAnythingDue(parts.db, parts.clock.now()))) return
  do {
    // Of an earlier close that was cut off, too: its debts are carried into the cycle that is open.
    while (await billOne(parts));
    await itemise(parts, signal)
  } while (signal?.aborted !== true && (await closeOne(parts)))
}

async function closeOne({ db, clock, ledger }: BillingParts): Promise<boolean> {
  const now = clock.now()
  const open = await findOpenCycle(db)
  if (open === undefined || open.endsAt > now) return false
  return transaction(db, async (tx) => {
    const cycle = await ledger.closeDueCycle(tx, now)
    if (cycle !== undefined) await insertHeldRecords(tx, cycle.id)
    return cycle !== undefined
  })
}

/** Makes the bills of the next closed cycle that has none; false when there is none. */
async function billOne(parts: BillingParts): Promise<boolean> {
  const { db, ledger, audit, settings } = parts
  const cycle = await findUnbilled(db)
  if (cycle === undefined) return false
  const waitMs = (await settings.payableAfterDays.get(db)) * 86_400_000
  await transaction(db, async (tx) => {
    if (!(await claimBills(tx, cycle.id))) return
    const count = await insertBills(tx, cycle.id, cycle.closedAt, new Date(cycle.closedAt.getTime() + waitMs))
    const after = { endsAt: cycle.endsAt.toISOString(), bills: count }
    const entry = { action: 'cycle.close', objectType: 'cycle', objectId: String(cycle.id), after }
    await audit.record(tx, { actor: systemActor, ip: '', ...entry })
    await mailBills(tx, parts, cycle.id)
    // Last, because the gate is held shared from here: who wants it alone waits, and the traffic behind that one.
    const open = await ledger.holdOpenCycle(tx)
    await ledger.postRows(tx, billEntries(cycle.id, open.id))
  })
  return true
}

/** Writes lines and payouts of closed cycles. The cycle's records are final, so this needs no gate. */
async function itemise(parts: BillingParts, signal?: AbortSignal): Promise<void> {
  const { db, ledger } = parts
  let isMore = (await findUnitemised(db)) !== undefined
  while (isMore && signal?.aborted !== true) {
    // Before the transaction that writes: while that one is open, feed and deliveries see nothing newer.
    await sumLines(db, { signal })
    isMore = await transaction(db, async (tx) => {
      // Where sums are missing, millions of records take longer to read than a statement of a page may.
      await execute(tx, 'set local statement_timeout = 0')
      const cycle = await findUnitemised(tx)
      if (cycle === undefined || (await isBehind(tx, cycle.id))) return false
      await writeItems(tx, cycle.id)
      await setItemised(tx, cycle.id)
      await dropLineSums(tx, cycle.id)
      await mailPayouts(tx, parts, cycle.id)
      await ledger.postRows(tx, payoutEntries(cycle.id))
      return true
    })
  }
}

/**
 * From the sums; from the records when these hold fewer messages than the counters, first where the cycle's batches say
 * they are, then everywhere.
 */
async function writeItems(tx: Db, cycleId: number): Promise<void> {
  const sources = [
    async () => fromLineSums(cycleId),
    async () => fromRecords(cycleId, await createdBetween(tx, cycleId)),
    async () => fromRecords(cycleId, sql`true`),
  ]
  for (const source of sources) {
    await clearItems(tx, cycleId)
    await insertItems(tx, cycleId, await source())
    if (await countItems(tx, cycleId)) break
  }
  await adjustLines(tx, cycleId)
}
