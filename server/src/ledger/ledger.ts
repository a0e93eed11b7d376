// The double-entry ledger and the cycles that its lines belong to.
import type { RawBuilder } from 'kysely'
import type { Db } from '../platform/db.ts'
import { closeTrafficGate, passTrafficGate } from '../platform/locks/traffic-gate.ts'
import { transaction } from '../platform/transaction.ts'
import type { Clock } from '../platform/clock.ts'
import { countEnded, cycleAfter, cycleAround } from './rules.ts'
import {
  findLastCycle,
  findOpenCycle,
  insertCycle,
  insertLines,
  insertRows,
  nextTransactionId,
  setCycleClosed,
  type Cycle,
  type LedgerLine,
} from './store.ts'

export interface LedgerDeps {
  readonly db: Db
  readonly clock: Clock
  /** BILLING_CYCLE_SECONDS. */
  readonly cycleSeconds: number
}

export interface Ledger {
  /** The open cycle, made if there is none yet. Safe to call from several nodes at once. */
  ensureOpenCycle(): Promise<Cycle>
  /**
   * Closes the open cycle if it has ended at `at`, and opens the next one, which begins where it ended. Gives the closed
   * one, or undefined when none was due. Holds the traffic gate until the caller's transaction ends, so no message can
   * fall into the closed cycle; the caller writes the bills in that transaction.
   */
  closeDueCycle(tx: Db, at: Date): Promise<Cycle | undefined>
  /** How many cycles are due at `at`: the open one, and those after it that would have ended too. */
  countDue(open: Cycle, at: Date): number
  /**
   * The open cycle, kept open until the caller's transaction ends: lines posted to it count in its bill. Holds the gate
   * shared.
   */
  holdOpenCycle(tx: Db): Promise<Cycle>
  /**
   * Writes one transaction's lines and gives its id. Throws when they do not sum to zero. The gate is held shared until
   * the caller's transaction ends, so that {@link Ledger} checks see whole transactions.
   */
  post(tx: Db, lines: readonly LedgerLine[]): Promise<bigint>
  /**
   * The same for thousands of lines: from a query that gives cycle_id, user_id, account, amount_micro, settlement, kind
   * and reference. No row is fine. The database refuses rows that do not sum to zero.
   */
  postRows(tx: Db, lines: RawBuilder<unknown>): Promise<bigint>
}

/** See {@link Ledger}. */
export function createLedger({ db, clock, cycleSeconds }: LedgerDeps): Ledger {
  async function openWithin(tx: Db): Promise<Cycle> {
    await closeTrafficGate(tx)
    const open = await findOpenCycle(tx)
    if (open !== undefined) return open
    const last = await findLastCycle(tx)
    return insertCycle(
      tx,
      last === undefined ? cycleAround(clock.now(), cycleSeconds) : cycleAfter(last.endsAt, cycleSeconds),
    )
  }

  return {
    async ensureOpenCycle() {
      return (await findOpenCycle(db)) ?? (await transaction(db, openWithin))
    },

    async holdOpenCycle(tx) {
      await passTrafficGate(tx)
      return (await findOpenCycle(tx)) ?? (await openWithin(tx))
    },

    async closeDueCycle(tx, at) {
      const before = await findOpenCycle(tx)
      if (before === undefined || before.endsAt > at) return undefined
      await closeTrafficGate(tx)
      // Another node may have closed it while this one waited for the gate.
      if (!(await setCycleClosed(tx, before.id, at))) return undefined
      await insertCycle(tx, cycleAfter(before.endsAt, cycleSeconds))
      return before
    },

    countDue: (open, at) => countEnded(open.endsAt, at, cycleSeconds),

    async post(tx, lines) {
      const sum = lines.reduce((total, { amountMicro }) => total + amountMicro, 0n)
      if (lines.length === 0 || sum !== 0n) {
        throw new Error(`A ledger transaction must sum to zero; ${lines.length} lines sum to ${sum}`)
      }
      await passTrafficGate(tx)
      const transactionId = await nextTransactionId(tx)
      await insertLines(tx, transactionId, lines, clock.now())
      return transactionId
    },

    async postRows(tx, lines) {
      await passTrafficGate(tx)
      const transactionId = await nextTransactionId(tx)
      await insertRows(tx, transactionId, lines, clock.now())
      return transactionId
    },
  }
}
