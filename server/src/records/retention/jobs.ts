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
}

/** The jobs that remove texts after `textDays` and drop settled records after `recordMonths`. */
export function retentionJobs({ db, clock, log, textDays, recordMonths }: RetentionDeps): Job[] {
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
      const { weeks, strays, unsettled, busy } = await dropRecords(
        db,
        monthsBefore(clock.now(), recordMonths),
        signal,
      )
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
  return [...(textDays > 0 ? [texts, longMessages] : []), ...(recordMonths > 0 ? [records] : []), hours]
}

/** Midnight UTC of the first day of that month: months differ in length, and no record may be dropped too early. */
export function monthsBefore(now: Date, months: number): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months, 1))
}
