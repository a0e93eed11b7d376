// The traces of a failed sign-in: a metric, some entries in the audit log, and a count for the owner.
import { Counter } from 'prom-client'
import { systemActor, type Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { registry } from '../../platform/metrics.ts'
import { transaction } from '../../platform/transaction.ts'
import { noteAccountFailure } from './failure-store.ts'
import type { SignInAttempt } from './throttle.ts'
import { aboutUser } from '../about-user.ts'

export const loginFailures = new Counter({
  name: 'tollgate_login_failures_total',
  help: 'Sign-ins and confirmed passwords that were refused: wrong_password, wrong_code, throttled, not_active.',
  labelNames: ['reason'],
  registers: [registry],
})
for (const reason of ['wrong_password', 'wrong_code', 'throttled', 'not_active'])
  loginFailures.inc({ reason }, 0)

/**
 * Counts a wrong password or code for the named account, if it exists. Only the 1st, 10th, 100th ... since the owner's last
 * sign-in is audited: an entry for each would let a stranger fill the log.
 */
export async function noteFailure(
  { db, clock, audit }: { db: Db; clock: Clock; audit: Pick<Audit, 'record'> },
  { username, ip }: SignInAttempt,
  reason: 'wrong_password' | 'wrong_code',
): Promise<void> {
  loginFailures.inc({ reason })
  await transaction(db, async (tx) => {
    const noted = await noteAccountFailure(tx, username, clock.now(), ip)
    if (noted === undefined || !isPowerOfTen(noted.count)) return
    await audit.record(tx, {
      actor: systemActor,
      ip,
      action: 'session.failures',
      ...aboutUser(noted.user_id),
      after: { failedSinceLastSignIn: noted.count },
    })
  })
}

function isPowerOfTen(count: number): boolean {
  return /^10*$/.test(String(count))
}
