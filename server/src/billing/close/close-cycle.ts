// Closes a cycle in three transactions. The first one closes the traffic gate, so it does little: it ends the cycle
// and starts the next one. The second makes the bills and their ledger lines. The third
// makes the bills' lines and the payouts. These two work from final counters while messages go on.
import { createdBetween } from '../../records/index.ts'
import { sql } from 'kysely'
import { systemActor } from '../../audit/index.ts'
import { findOpenCycle } from '../../ledger/index.ts'
import { execute, type Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import { differingClients, dropLineSums, isBehind, remakeSums, sumLines } from './line-sums.ts'
import { allAccounts, type AccountSpan } from '../rules.ts'
import { eachAccount } from './each-account.ts'
import { leaveOut, leaveOutHuge, listLeftOut, lockLeftOut, takeIn, type MissingStep } from './left-out.ts'
import { mailBills, mailPayouts } from '../mails/mail-bills.ts'
import type { BillingDeps } from '../deps.ts'
import { announceBills, announcePayouts } from '../events/announce.ts'
import { insertReserves, reserveEntries } from './reserves.ts'
import { setOffCarried, setOffCredit } from '../debts/set-off.ts'
import type { CloseGate } from './close-gate.ts'
import { billEntries, insertBills, insertItems, payoutEntries } from './insert-bills.ts'
import {
  claimBills,
  findClosedCycle,
  findUnbilled,
  findUnitemised,
  isCloseDue,
  setItemised,
  setUnsigned,
} from './store.ts'

/**
 * Closes every cycle that is due, makes its bills, and writes their lines. Any number of nodes may call it at once.
 * Continues what a crashed node left undone.
 */
export async function closeDueCycles(
  deps: BillingDeps,
  gate: CloseGate,
  signal?: AbortSignal,
): Promise<void> {
  if (!(await isCloseDue(deps.db, deps.clock.now()))) return
  do {
    // Bills of an interrupted close come before the next close, because their negative totals go into the open cycle.
    for (let isMore = true; isMore; isMore = await billOne(deps)) if (await waitsForJudge(deps)) return
    await itemise(deps, signal)
  } while (signal?.aborted !== true && (await closeOne(deps, gate)))
}

async function closeOne({ db, clock, ledger }: BillingDeps, gate: CloseGate): Promise<boolean> {
  const now = clock.now()
  const open = await findOpenCycle(db)
  if (open === undefined || open.endsAt > now || !(await gate.isOpen(open, now))) return false
  return transaction(db, async (tx) => {
    const cycle = await ledger.closeDueCycle(tx, now)
    return cycle !== undefined
  })
}

const judgeWaitMaxMs = 600_000

/** Whether the next cycle without bills still waits for doubtful messages to be held; it waits ten minutes at most. */
async function waitsForJudge({ db, clock, isJudged }: BillingDeps): Promise<boolean> {
  const cycle = isJudged && (await findUnbilled(db))
  if (isJudged === undefined || cycle === undefined) return false
  if (clock.now().getTime() - cycle.closedAt.getTime() >= judgeWaitMaxMs) return false
  return !(await isJudged(db, cycle.closedAt))
}

/** Makes the bills of the next closed cycle that has none; false when there is none. */
async function billOne(deps: BillingDeps): Promise<boolean> {
  const { db, ledger, audit } = deps
  const cycle = await findUnbilled(db)
  if (cycle === undefined) return false
  const terms = await deps.terms.defaults(db)
  await transaction(db, async (tx) => {
    if (!(await claimBills(tx, cycle.id))) return
    await leaveOutHuge(tx, cycle.id, allAccounts)
    let count = 0
    const refused = await eachAccount(tx, allAccounts, async (span) => {
      await insertReserves(tx, cycle, span, terms)
      count += await insertBills(tx, cycle, span, terms)
    })
    await leaveOut(tx, cycle.id, 'bill', refused)
    const after = { endsAt: cycle.endsAt.toISOString(), bills: count }
    const entry = { action: 'cycle.close', objectType: 'cycle', objectId: String(cycle.id), after }
    await audit.record(tx, { actor: systemActor, ip: '', ...entry })
    await mailBills(tx, deps, cycle.id, allAccounts)
    await announceBills(tx, deps, cycle.id, allAccounts)
    await deps.onBilled?.(tx, cycle.id, allAccounts)
    // Last, because this holds the traffic gate shared: a catalog change would wait for it, and traffic for that change.
    const open = await ledger.holdOpenCycle(tx)
    await ledger.postRows(tx, reserveEntries(cycle.id, allAccounts))
    await ledger.postRows(tx, billEntries(cycle.id, open.id, allAccounts))
  })
  return true
}

/** Writes bill lines and payouts of closed cycles. Their records are final, so this needs no traffic gate. */
async function itemise(deps: BillingDeps, signal?: AbortSignal): Promise<void> {
  const { db, ledger } = deps
  let isMore = (await findUnitemised(db)) !== undefined
  while (isMore && signal?.aborted !== true) {
    // Outside the transaction that writes: while that one is open, the followers of the batch log see nothing newer.
    await sumLines(db, { signal })
    isMore = await transaction(db, async (tx) => {
      // When sums are missing, records are read, which may take longer than the statement timeout of a page.
      await execute(tx, 'set local statement_timeout = 0')
      const cycle = await findUnitemised(tx)
      if (cycle === undefined || (await isBehind(tx, cycle.id))) return false
      const terms = await deps.terms.defaults(tx)
      await completeSums(tx, cycle.id)
      const refused = await eachAccount(tx, allAccounts, (span) => insertItems(tx, cycle.id, span, terms))
      await leaveOut(tx, cycle.id, 'items', refused)
      await setItemised(tx, cycle.id)
      await dropLineSums(tx, cycle.id)
      await mailPayouts(tx, deps, cycle.id, allAccounts)
      await announcePayouts(tx, deps, cycle.id, allAccounts)
      await ledger.postRows(tx, payoutEntries(cycle.id, allAccounts))
      await setOffCarried(tx, deps, cycle.id)
      await setOffCredit(tx, deps)
      return true
    })
  }
}

/**
 * Makes the line sums agree with the counters. Only the records of clients whose sums differ are read: first those in the
 * time span of the cycle's batches, then all of the cycle.
 */
async function completeSums(tx: Db, cycleId: number): Promise<void> {
  for (const boundsOf of [() => createdBetween(tx, cycleId), async () => sql`true`]) {
    const differing = await differingClients(tx, cycleId)
    if (differing.length === 0) return
    await remakeSums(tx, cycleId, differing, await boundsOf())
  }
}

/** Tries to close the accounts that were left out, each in a transaction of its own. The reason may be mended by now. */
export async function closeLeftOut(deps: BillingDeps): Promise<void> {
  for (const account of await listLeftOut(deps.db))
    await transaction(deps.db, async (tx) => {
      const span = { from: account.userId, to: account.userId }
      const step = await lockLeftOut(tx, account)
      if (step === undefined) return
      await takeIn(tx, account)
      if (step === 'bill' && (await leaveOutHuge(tx, account.cycleId, span)) > 0) return
      const refused = await eachAccount(tx, span, () => closeAccount(tx, deps, account.cycleId, step, span))
      await leaveOut(tx, account.cycleId, step, refused)
    })
}

async function closeAccount(
  tx: Db,
  deps: BillingDeps,
  cycleId: number,
  step: MissingStep,
  span: AccountSpan,
): Promise<void> {
  const { ledger, audit } = deps
  const cycle = await findClosedCycle(tx, cycleId)
  if (cycle === undefined) throw new Error(`Cycle ${cycleId} is not closed`)
  const terms = await deps.terms.defaults(tx)
  if (step === 'bill') {
    await insertReserves(tx, cycle, span, terms)
    await insertBills(tx, cycle, span, terms)
    await mailBills(tx, deps, cycleId, span)
    await announceBills(tx, deps, cycleId, span)
    await deps.onBilled?.(tx, cycleId, span)
  }
  await completeSums(tx, cycleId)
  await insertItems(tx, cycleId, span, terms)
  await mailPayouts(tx, deps, cycleId, span)
  await announcePayouts(tx, deps, cycleId, span)
  await dropLineSums(tx, cycleId)
  await setUnsigned(tx, cycleId)
  await audit.record(tx, {
    actor: systemActor,
    ip: '',
    action: 'cycle.close_account',
    objectType: 'user',
    objectId: String(span.from),
    after: { cycle: cycleId },
  })
  const open = await ledger.holdOpenCycle(tx)
  if (step === 'bill') {
    await ledger.postRows(tx, reserveEntries(cycleId, span))
    await ledger.postRows(tx, billEntries(cycleId, open.id, span))
  }
  await ledger.postRows(tx, payoutEntries(cycleId, span))
  await setOffCarried(tx, deps, cycleId)
  await setOffCredit(tx, deps)
}
