import { Refusal } from '@tollgate/contract/errors.ts'
import type { Audit } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { networkOf } from '../../platform/addresses/network-of.ts'
import type { Passwords } from '../accounts/passwords.ts'
import { loginFailures, noteFailure } from './failures.ts'
import { forgive, sourceOf, recordFailure, refuseThrottled, type SignInAttempt } from './throttle.ts'

export interface PasswordCheck {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
  readonly passwords: Passwords
}

/**
 * Whether a password is right. Each attempt is counted and slowed down. Without a stored hash the result is false, in the
 * same time. Throws Refusal too_many during a delay.
 */
export async function isRightPassword(
  parts: PasswordCheck,
  attempt: SignInAttempt,
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
  attempt: SignInAttempt,
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const { db, clock, passwords } = parts
  const guesser = await sourceOf(db, clock, attempt)
  // Before the queue, so that many guesses do not fill it.
  await refuseThrottled(db, clock, guesser, false)
  const isKnown = guesser.stranger === undefined
  const turn = {
    rank: isKnown ? ('known' as const) : ('signIn' as const),
    network: networkOf(attempt.ip),
    account: attempt.username.toLowerCase(),
  }
  return passwords.inTurn(async (hasher) => {
    // And again when the turn has come, so that guesses sent at the same time are all counted.
    await refuseThrottled(db, clock, guesser, true)
    const isRight = await hasher.verify(stored, password)
    if (isRight) await forgive(db, guesser)
    else {
      await recordFailure(db, clock, guesser)
      await noteFailure(parts, attempt, 'wrong_password')
    }
    return isRight
  }, turn)
}
