import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { networkOf } from '../../platform/security/network-of.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { loginFailures, noteFailure } from './failures.ts'
import { forgive, guesserOf, recordFailure, refuseThrottled, type Attempt } from './throttle.ts'

export interface PasswordCheck {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly passwords: Passwords
}

/**
 * Whether a password is right, counted and slowed down like every guess. Without a stored hash the answer is no, in
 * the same time. Throws Refusal too_many while who tries has to wait.
 */
export async function isRightPassword(
  parts: PasswordCheck,
  attempt: Attempt,
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  try {
    return await checkInTurn(parts, attempt, stored, password)
  } catch (error) {
    if (error instanceof Refusal && error.code === 'too_many') loginFailures.inc({ reason: 'throttled' })
    throw error
  }
}

async function checkInTurn(
  parts: PasswordCheck,
  attempt: Attempt,
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const { db, clock, passwords } = parts
  const guesser = await guesserOf(db, clock, attempt)
  // Before the queue, so that a flood of guesses does not fill it.
  await refuseThrottled(db, clock, guesser, false)
  const isKnown = guesser.stranger === undefined
  const place = {
    rank: isKnown ? ('known' as const) : ('signIn' as const),
    network: networkOf(attempt.ip),
    account: attempt.username.toLowerCase(),
  }
  return passwords.inTurn(async (hasher) => {
    // Again when the turn has come: guesses sent all at once are counted one after the other.
    await refuseThrottled(db, clock, guesser, true)
    const isRight = await hasher.verify(stored, password)
    if (isRight) await forgive(db, guesser)
    else {
      await recordFailure(db, clock, guesser)
      await noteFailure(parts, attempt, 'wrong_password')
    }
    return isRight
  }, place)
}
