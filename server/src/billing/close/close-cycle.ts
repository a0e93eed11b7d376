// Closes a cycle in three transactions. The first one closes the traffic gate, so it does little: it ends the cycle,
// starts the next one and copies which records are held. The second makes the bills and their ledger lines. The third
// makes the bills' lines and the payouts. These two work from final counters while messages go on.
import { sql } from 'kysely'
import { systemActor } from '../../audit/index.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { execute, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { dropLineSums, isBehind, sumLines } from './line-sums.ts'
import { mailBills, mailPayouts } from '../mails/mail-bills.ts'
import type { BillingDeps } from '../deps.ts'
import { setOffCarried, setOffCredit } from '../debts/set-off.ts'
import {
  adjustLines,
  billEntries,
  claimBills,
  clearItems,
  hasAllItems,
  findUnbilled,
  findUnitemised,
  fromLineSums,
  fromRecords,
  insertBills,
  insertHeldRecords,
  insertItems,
  isCloseDue,
  payoutEntries,
  setItemised,
} from './store.ts'
import { createdBetween } from './record-bounds.ts'

/**
 * Closes every cycle that is due, makes its bills, and writes their lines. Any number of nodes may call it at once.
 * Continues what a crashed node left undone.
 */
export async function closeDueCycles(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  if (!(await isCloseDue(deps.db, deps.clock.now()))) return
  do {
    // Bills of an interrupted close come before the next close, because their negative totals go into the open cycle.
    while (await billOne(deps));
    await itemise(deps, signal)
  } while (signal?.aborted !== true && (await closeOne(deps)))
}

async function closeOne({ db, clock, ledger }: BillingDeps): Promise<boolean> {
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
async function billOne(deps: BillingDeps): Promise<boolean> {
  const { db, ledger, audit, settings } = deps
  const cycle = await findUnbilled(db)
  if (cycle === undefined) return false
  const waitMs = (await settings.payableAfterDays.get(db)) * 86_400_000
  await transaction(db, async (tx) => {
    if (!(await claimBills(tx, cycle.id))) return
    const count = await insertBills(tx, cycle.id, cycle.closedAt, new Date(cycle.closedAt.getTime() + waitMs))
    const after = { endsAt: cycle.endsAt.toISOString(), bills: count }
    const entry = { action: 'cycle.close', objectType: 'cycle', objectId: String(cycle.id), after }
    await audit.record(tx, { actor: systemActor, ip: '', ...entry })
    await mailBills(tx, deps, cycle.id)
    // Last, because this holds the traffic gate shared: a catalog change would wait for it, and traffic for that change.
    const open = await ledger.holdOpenCycle(tx)
    await ledger.postRows(tx, billEntries(cycle.id, open.id))
  })
  return true
}

/** Writes bill lines and payouts of closed cycles. Their records are final, so this needs no traffic gate. */
async function itemise(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  const { db, ledger, settings } = deps
  let isMore = (await findUnitemised(db)) !== undefined
  while (isMore && signal?.aborted !== true) {
    // Outside the transaction that writes: while that one is open, the followers of the batch log see nothing newer.
    await sumLines(db, { signal })
    isMore = await transaction(db, async (tx) => {
      // When sums are missing, millions of records are read, which takes longer than the statement timeout of a page.
      await execute(tx, 'set local statement_timeout = 0')
      const cycle = await findUnitemised(tx)
      if (cycle === undefined || (await isBehind(tx, cycle.id))) return false
      await writeItems(tx, cycle.id, await settings.payableAfterDays.get(tx))
      await setItemised(tx, cycle.id)
      await dropLineSums(tx, cycle.id)
      await mailPayouts(tx, deps, cycle.id)
      await ledger.postRows(tx, payoutEntries(cycle.id))
      await setOffCarried(tx, deps, cycle.id)
      await setOffCredit(tx, deps)
      return true
    })
  }
}

/**
 * Tries three sources until the lines contain as many messages as the counters: the line sums, then the records in the
 * time span of the cycle's batches, then all records of the cycle.
 */
async function writeItems(tx: Db, cycleId: number, payableAfterDays: number): Promise<void> {
  const sources = [
    async () => fromLineSums(cycleId),
    async () => fromRecords(cycleId, await createdBetween(tx, cycleId)),
    async () => fromRecords(cycleId, sql`true`),
  ]
  for (const source of sources) {
    await clearItems(tx, cycleId)
    await insertItems(tx, cycleId, await source(), payableAfterDays)
    if (await hasAllItems(tx, cycleId)) break
  }
  await adjustLines(tx, cycleId)
}
