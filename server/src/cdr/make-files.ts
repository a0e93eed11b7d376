// Makes the row of each file whose period is over. The range of the log and the position move in one transaction, so every
// record is in exactly one file of a schedule, whatever crashes.
import type { Db } from '../platform/db.ts'
import { fencedTransaction, type Lease } from '../platform/work/leases.ts'
import { endAfter, fileNameOf } from './periods.ts'
import { insertFile, measureRange, overdueSchedules } from './store.ts'

// Transactions that stored records just before the end of the period have committed by then. One that has not is in the
// next file.
const graceMs = 5_000

/** Makes the next file of every schedule that has one to make; gives how many. */
export async function makeFiles(db: Db, lease: Pick<Lease, 'name' | 'token'>, now: Date): Promise<number> {
  let made = 0
  for (const schedule of await overdueSchedules(db, new Date(now.getTime() - graceMs))) {
    const { name, nextSequence, periodFrom, periodTo, format, every, position } = schedule
    const range = await measureRange(db, position, periodTo)
    // What was stored beside a transaction that still runs is waited for: it belongs into this file.
    if (range === undefined) continue
    const file = {
      ...range,
      name: fileNameOf(name, nextSequence, periodFrom, format),
      nextPeriodTo: endAfter(periodTo, every),
    }
    if (await fencedTransaction(db, lease, (tx) => insertFile(tx, schedule, file))) made += 1
  }
  return made
}
