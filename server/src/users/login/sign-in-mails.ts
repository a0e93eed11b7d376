// Tells owners by mail of what may be somebody else's doing. It works behind the sign-ins, so that no mail holds one up.
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { transaction } from '../../platform/transaction.ts'
import type { Mail } from '../../mail/index.ts'
import { deviceMails, failureMails, takeUntoldDevices, takeUntoldFailures } from './failure-store.ts'

const hourMs = 3_600_000
// Fewer are typing errors.
const failuresTold = 10

/** Queues what is to be told; of each kind at most one mail an hour for an account. Harmless to repeat. */
export async function tellOwners(
  db: Db,
  clock: Clock,
  mail: Pick<Mail, 'enqueue'> | undefined,
): Promise<void> {
  const at = clock.now()
  await transaction(db, async (tx) => {
    const withDevice = await takeUntoldDevices(tx, at)
    if (withDevice.length > 0) await mail?.enqueue(tx, deviceMails(withDevice, at))
    const toldBefore = new Date(at.getTime() - hourMs)
    const withFailures = await takeUntoldFailures(tx, { countMin: failuresTold, at, toldBefore })
    if (withFailures.length > 0) await mail?.enqueue(tx, failureMails(withFailures, at))
  })
}
