// The jobs that remove texts and records after their retention.
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Job } from '../../platform/work/jobs.ts'
import type { Logger } from '../../platform/log.ts'
import { dropRecords } from './drop-records.ts'
import { pruneMessages } from '../../long-messages/index.ts'
import { forgetTexts, pruneHours } from '../../ingest/index.ts'

const hourMs = 3_600_000
const dayMs = 86_400_000
// As long as endpoints may replay a delivery, and as long as there are texts to join.
const longMessageDaysMin = 30
const messagesAtOnce = 5_000
// What is usual at an hour is told by the two weeks before.
const hoursKeptMs = 14 * dayMs

export interface RetentionDeps {
  readonly db: Db
  readonly clock: Clock
  readonly log: Pick<Logger, 'info' | 'warn'>
  /** Days; 0 means for ever. */
  readonly textDays: number
  /** Months; 0 means for ever. */
  readonly recordMonths: number
  /** Weeks after which records may go that are archived; undefined: not before the others. */
  readonly onlineWeeks?: number | undefined
  /** Has the archive of the week of this Monday written anew, because its records have changed since. */
  readonly archiveAgain?: (week: Date) => Promise<void>
}

const longAgo = new Date(0)

/** The jobs that remove texts after `textDays` and drop settled records after `recordMonths`, or archived ones before. */
export function retentionJobs(deps: RetentionDeps): Job[] {
  const { db, clock, log, textDays, recordMonths, onlineWeeks, archiveAgain } = deps
  const texts: Job = {
    name: 'forget-texts',
    everyMs: hourMs,
    async run(signal) {
      await forgetTexts(db, new Date(clock.now().getTime() - textDays * dayMs), signal)
    },
  }
  const records: Job = {
    name: 'drop-records',
    everyMs: hourMs,
    async run(signal) {
      const now = clock.now()
      const limits = {
        before: recordMonths > 0 ? monthsBefore(now, recordMonths) : longAgo,
        archivedBefore:
          onlineWeeks === undefined ? undefined : new Date(now.getTime() - onlineWeeks * 7 * dayMs),
      }
      const { weeks, strays, unsettled, busy, changed } = await dropRecords(db, limits, signal)
      for (const week of changed) await archiveAgain?.(week)
      if (changed.length > 0)
        log.info({ weeks: changed }, 'Kept archived records that have changed since; archiving them again')
      if (weeks.length + strays > 0) log.info({ weeks, strays }, 'DroppedRecords records whose time was over')
      if (unsettled.length > 0)
        log.warn({ weeks: unsettled }, 'Kept records whose time is over: some are unbilled or held')
      if (busy.length > 0)
        log.info({ weeks: busy }, 'Somebody reads records whose time is over; trying later')
    },
  }
  const longMessages: Job = {
    name: 'forget-long-messages',
    everyMs: hourMs,
    async run(signal) {
      const before = new Date(clock.now().getTime() - Math.max(longMessageDaysMin, textDays) * dayMs)
      while (!signal.aborted && (await pruneMessages(db, before, messagesAtOnce)) === messagesAtOnce);
    },
  }
  const hours: Job = {
    name: 'forget-hours',
    everyMs: hourMs,
    run: () => pruneHours(db, new Date(clock.now().getTime() - hoursKeptMs)),
  }
  const drops = recordMonths > 0 || onlineWeeks !== undefined
  return [...(textDays > 0 ? [texts, longMessages] : []), ...(drops ? [records] : []), hours]
}

/** Midnight UTC of the first day of that month: months differ in length, and no record may be dropped too early. */
export function monthsBefore(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}
