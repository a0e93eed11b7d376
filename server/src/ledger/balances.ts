// What a user has in each account: traffic from the counters, everything else from the ledger's lines.
import { settlements } from '@tollgate/contract/vocabulary.ts'
import type { Db } from '../platform/db.ts'
import { sumUserLines, type AccountSum } from './store.ts'
import { earnedByCounters } from './views.ts'

/**
 * A user's accounts by cycle and settlement, zero sums left out; of one cycle when `cycleId` is given. Traffic is read
 * from the counters, which the checker compares with the lines: summing a week's lines would take seconds.
 */
export async function balancesOf(db: Db, userId: number, cycleId?: number): Promise<AccountSum[]> {
  const sums = new Map<string, AccountSum>()
  const add = (sum: AccountSum) => {
    const key = `${sum.cycleId} ${sum.settlement} ${sum.account}`
    const before = sums.get(key)?.amountMicro ?? 0n
    sums.set(key, { ...sum, amountMicro: before + sum.amountMicro })
  }
  for (const { amountMicro, ...earned } of await earnedByCounters(db, userId, cycleId)) {
    add({ cycleId: earned.cycleId, settlement: earned.settlement, account: 'payable', amountMicro })
  }
  for (const sum of await sumUserLines(db, userId, cycleId)) add(sum)
  return [...sums.values()]
    .filter(({ amountMicro }) => amountMicro !== 0n)
    .toSorted(
      (a, b) => a.cycleId - b.cycleId || a.settlement - b.settlement || a.account.localeCompare(b.account),
    )
}

/** Code of a way to settle, as the tables hold it. */
export const settlementCode = (settlement: (typeof settlements)[number]): number =>
  settlements.indexOf(settlement)
