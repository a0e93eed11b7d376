// Makes the row of each file whose period is over. The range of the log and the position move in one transaction, so every
// record is in exactly one file of a schedule, whatever crashes. An archive gets the days of weeks that have closed.
import type { Db } from '../platform/db.ts'
import { fencedTransaction, type Lease } from '../platform/work/leases.ts'
import { endAfter, fileNameOf } from './periods.ts'
import { closedWeeks } from '../records/index.ts'
import {
  insertFile,
  insertWeek,
  isArchived,
  measureRange,
  overdueSchedules,
  type ScheduleRow,
} from './store.ts'

// Transactions that stored records just before the end of the period have committed by then. One that has not is in the
// next file.
const graceMs = 5_000
const dayMs = 86_400_000
// Until then deliveries are replayed and reports of networks come, so records still change.
const archivedAfterMs = 35 * dayMs

/** Makes the next file of every schedule that has one to make; gives how many. */
export async function makeFiles(db: Db, lease: Pick<Lease, 'name' | 'token'>, now: Date): Promise<number> {
  let made = 0
  for (const schedule of await overdueSchedules(db, new Date(now.getTime() - graceMs))) {
    if (schedule.every === 'archive') {
      made += await makeArchive(db, lease, schedule, now)
      continue
    }
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

/** Makes the files of the oldest week that has closed and has none yet, one for each day; else the next look is in an hour. */
async function makeArchive(
  db: Db,
  lease: Pick<Lease, 'name' | 'token'>,
  schedule: ScheduleRow,
  now: Date,
): Promise<number> {
  const { id, name, nextSequence, format, every, periodTo } = schedule
  for (const week of await closedWeeks(db, new Date(now.getTime() - archivedAfterMs))) {
    if (await isArchived(db, id, week)) continue
    const days = Array.from({ length: 7 }, (_, nth) => {
      const from = new Date(week.getTime() + nth * dayMs)
      return {
        from,
        to: new Date(from.getTime() + dayMs),
        name: fileNameOf(name, nextSequence + nth, from, format),
      }
    })
    const isMade = await fencedTransaction(db, lease, (tx) =>
      insertWeek(tx, schedule, { week, days, nextPeriodTo: periodTo }),
    )
    return isMade ? days.length : 0
  }
  await fencedTransaction(db, lease, (tx) =>
    insertWeek(tx, schedule, { week: undefined, days: [], nextPeriodTo: endAfter(now, every) }),
  )
  return 0
}
