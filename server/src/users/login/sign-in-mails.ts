// Mails owners about sign-ins that may not be theirs. A background job, so that no mail delays a sign-in.
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Mail } from '../../mail/index.ts'
import { deviceMails, failureMails, takeUnreportedDevices, takeUnreportedFailures } from './failure-store.ts'

const hourMs = 3_600_000
// Fewer failures are likely typing errors.
const reportedFailuresMin = 10

/** Queues the mails, at most one of each kind an hour for an account. Safe to repeat. */
export async function mailOwners(
  db: Db,
  clock: Clock,
  mail: Pick<Mail, 'enqueue'> | undefined,
): Promise<void> {
  const at = clock.now()
  await transaction(db, async (tx) => {
    const withDevice = await takeUnreportedDevices(tx, at)
    if (withDevice.length > 0) await mail?.enqueue(tx, deviceMails(withDevice, at))
    const reportedBefore = new Date(at.getTime() - hourMs)
    const withFailures = await takeUnreportedFailures(tx, {
      countMin: reportedFailuresMin,
      at,
      reportedBefore,
    })
    if (withFailures.length > 0) await mail?.enqueue(tx, failureMails(withFailures, at))
  })
}
