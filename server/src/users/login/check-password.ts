import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { forgiveAccount, recordFailure, refuseThrottled, type Attempt } from './throttle.ts'

export interface PasswordCheck {
  readonly db: Db
  readonly clock: Clock
  readonly passwords: Passwords
}

/**
 * Whether a password is right, counted and slowed down like every guess. Without a stored hash the answer is no, in
 * the same time. Throws Refusal too_many while the account or the address has to wait.
 */
export async function isRightPassword(
  { db, clock, passwords }: PasswordCheck,
  attempt: Attempt,
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  // Before the queue, so that a flood of guesses does not fill it.
  await refuseThrottled(db, clock, attempt)
  return passwords.inTurn(async (hasher) => {
    // Again when the turn has come: guesses sent all at once are counted one after the other.
    await refuseThrottled(db, clock, attempt)
    const isRight = await hasher.verify(stored, password)
    if (isRight) await forgiveAccount(db, attempt)
    else await recordFailure(db, clock, attempt)
    return isRight
  })
}
