// Slows down whoever guesses passwords. Only failures count, nothing is ever locked for good, and the owner of an
// account can still sign in from elsewhere, because the count belongs to account and address together.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { networkOf } from '../../platform/network-of.ts'
import { addFailures, clearFailures, countFailures, nthFailureBack } from './store.ts'

const minuteMs = 60_000
// OWASP ASVS 5.0, 6.1.1 and 6.3.1: five free tries in a quarter of an hour, then a delay that doubles.
const freeFailures = 5
const accountWindowMs = 15 * minuteMs
const firstDelayMs = 10_000
const addressFailuresMax = 100
const addressWindowMs = 60 * minuteMs

/** One who tries: the account named, whether it exists or not, and the address. */
export interface Attempt {
  readonly username: string
  readonly ip: string
}

/** How long after the last of `failures` the next try is let through, in milliseconds. */
export function delayMs(failures: number): number {
  if (failures < freeFailures) return 0
  return Math.min(firstDelayMs * 2 ** (failures - freeFailures), accountWindowMs)
}

/** Throws Refusal too_many, with the seconds to wait, while this attempt has to wait. */
export async function refuseThrottled(db: Db, clock: Clock, attempt: Attempt): Promise<void> {
  const now = clock.now().getTime()
  const account = await countFailures(db, accountSubject(attempt), new Date(now - accountWindowMs))
  const waitMs = (account.lastAt?.getTime() ?? 0) + delayMs(account.count) - now
  if (account.count >= freeFailures && waitMs > 0)
    throw refusal('Too many wrong passwords for this account.', waitMs)
  await refuseThrottledAddress(db, clock, addressSubject('login', attempt.ip))
}

/** Throws Refusal too_many when sign-ups from this address failed too often in the last hour. */
export function refuseThrottledSignUp(db: Db, clock: Clock, ip: string): Promise<void> {
  return refuseThrottledAddress(db, clock, addressSubject('signup', ip))
}

async function refuseThrottledAddress(db: Db, clock: Clock, subject: string): Promise<void> {
  const now = clock.now().getTime()
  const oldest = await nthFailureBack(db, subject, addressFailuresMax)
  const waitMs = oldest === undefined ? 0 : oldest.getTime() + addressWindowMs - now
  if (waitMs > 0) throw refusal('Too many failed attempts from your address.', waitMs)
}

export async function recordFailure(db: Db, clock: Clock, attempt: Attempt): Promise<void> {
  await addFailures(db, [accountSubject(attempt), addressSubject('login', attempt.ip)], clock.now())
}

export async function recordSignUpFailure(db: Db, clock: Clock, ip: string): Promise<void> {
  await addFailures(db, [addressSubject('signup', ip)], clock.now())
}

/** A right password ends the account's delay at this address; the address keeps its own count. */
export async function forgiveAccount(db: Db, attempt: Attempt): Promise<void> {
  await clearFailures(db, accountSubject(attempt))
}

function accountSubject({ username, ip }: Attempt): string {
  return `account:${username.toLowerCase()}|${networkOf(ip)}`
}

function addressSubject(act: 'login' | 'signup', ip: string): string {
  return `${act}:${networkOf(ip)}`
}

function refusal(what: string, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const wait = seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new Refusal('too_many', `${what} Try again in ${wait}.`, { retryAfterSeconds: seconds })
}
