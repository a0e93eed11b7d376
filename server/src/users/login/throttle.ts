// Slows down whoever guesses passwords. Only failures count, nothing is ever locked for good, and who is known (a session,
// or a device that signed in before) is counted alone, so that no stranger can keep an owner out. Decision 71.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { deviceLifeDays } from '../../platform/http/login-cookie.ts'
import { networkOf } from '../../platform/security/network-of.ts'
import { isKnownDevice } from './device-store.ts'
import { hashOf } from './login-sessions.ts'
import { addFailures, clearFailures, countFailures, earliestFailure, nthFailureBack } from './store.ts'

const minuteMs = 60_000
// OWASP ASVS 5.0, 6.1.1 and 6.3.1: five free tries in a quarter of an hour, then a delay that doubles.
const freeFailures = 5
const accountWindowMs = 15 * minuteMs
const firstDelayMs = 10_000
const addressFailuresMax = 100
const addressWindowMs = 60 * minuteMs
// Of one account, from wherever: more than a forgetful owner has in an hour, and few for who guesses from many addresses.
const freeFailuresEverywhere = 30
const firstWaitMs = 15_000
const waitMaxMs = 5 * minuteMs
// A family or an office behind one address; beyond it somebody tries out who has an account.
const resetRequestsMax = 20

/** One who tries. */
export interface Attempt {
  /** The account named, whether it exists or not. */
  readonly username: string
  readonly ip: string
  /** Names the browser. */
  readonly device?: string | undefined
  /** The session of somebody who is signed in and confirms the password. */
  readonly session?: string | undefined
}

/** Whose failures an attempt counts among. */
export interface Guesser {
  /** Counted for this account: a session, a known device, or else a network. */
  readonly subject: string
  /** What a stranger is counted among as well. */
  readonly stranger?: { readonly address: string; readonly everywhere: string; readonly wait: string }
}

/** Finds out whether the attempt comes from somebody known to the account. */
export async function guesserOf(db: Db, clock: Clock, attempt: Attempt): Promise<Guesser> {
  const account = `account:${attempt.username.toLowerCase()}`
  if (attempt.session !== undefined) return { subject: `${account}|session:${attempt.session}` }
  if (attempt.device !== undefined) {
    const idHash = hashOf(attempt.device)
    const since = new Date(clock.now().getTime() - deviceLifeDays * 24 * 60 * minuteMs)
    if (await isKnownDevice(db, attempt.username, idHash, since))
      return { subject: `${account}|device:${idHash.toString('hex')}` }
  }
  const network = networkOf(attempt.ip)
  return {
    subject: `${account}|${network}`,
    stranger: {
      address: `login:${network}`,
      everywhere: `${account}|everywhere`,
      wait: `${account}|wait|${network}`,
    },
  }
}

/** How long after the last of `failures` the next try is let through, in milliseconds. */
export function delayMs(failures: number): number {
  if (failures < freeFailures) return 0
  return Math.min(firstDelayMs * 2 ** (failures - freeFailures), accountWindowMs)
}

/** How long a stranger waits for a guess at an account with so many failures in an hour; at most 5 minutes. */
export function strangersWaitMs(failures: number): number {
  if (failures < freeFailuresEverywhere) return 0
  return Math.min(firstWaitMs * 2 ** (Math.floor(failures / freeFailuresEverywhere) - 1), waitMaxMs)
}

/**
 * Throws Refusal too_many, with the seconds to wait, while this attempt has to wait. With `isTurn` the password is about
 * to be looked at: a wait that is over is used up.
 */
export async function refuseThrottled(
  db: Db,
  clock: Clock,
  { subject, stranger }: Guesser,
  isTurn: boolean,
): Promise<void> {
  const now = clock.now().getTime()
  const own = await countFailures(db, subject, new Date(now - accountWindowMs))
  const waitMs = (own.lastAt?.getTime() ?? 0) + delayMs(own.count) - now
  if (own.count >= freeFailures && waitMs > 0)
    throw refusal('Too many wrong passwords for this account.', waitMs)
  if (stranger === undefined) return
  await refuseThrottledAddress(db, clock, stranger.address)
  await refuseStranger(db, now, stranger, isTurn)
}

/**
 * While an account is guessed at from many addresses, a stranger's network waits once for each guess. The wait begins
 * with its own first try, whatever the others do meanwhile: so an owner on a new device waits for 5 minutes at most.
 */
async function refuseStranger(
  db: Db,
  now: number,
  { everywhere, wait }: NonNullable<Guesser['stranger']>,
  isTurn: boolean,
): Promise<void> {
  const hourAgo = new Date(now - addressWindowMs)
  const { count } = await countFailures(db, everywhere, hourAgo)
  const waitMs = strangersWaitMs(count)
  if (waitMs === 0) return
  const begun = await earliestFailure(db, wait, hourAgo)
  if (begun === undefined) await addFailures(db, [wait], new Date(now))
  const leftMs = (begun?.getTime() ?? now) + waitMs - now
  // Of two calls that waited together one is let through.
  if (leftMs <= 0 && (!isTurn || (await clearFailures(db, wait)) > 0)) return
  throw refusal(
    'Many wrong passwords were tried for this account, so a new device has to wait.',
    leftMs > 0 ? leftMs : waitMs,
  )
}

/** Throws Refusal too_many when sign-ups from this address failed too often in the last hour. */
export function refuseThrottledSignUp(db: Db, clock: Clock, ip: string): Promise<void> {
  return refuseThrottledAddress(db, clock, `signup:${networkOf(ip)}`)
}

async function refuseThrottledAddress(db: Db, clock: Clock, subject: string): Promise<void> {
  const now = clock.now().getTime()
  const oldest = await nthFailureBack(db, subject, addressFailuresMax)
  const waitMs = oldest === undefined ? 0 : oldest.getTime() + addressWindowMs - now
  if (waitMs > 0) throw refusal('Too many failed attempts from your address.', waitMs)
}

export async function recordFailure(db: Db, clock: Clock, { subject, stranger }: Guesser): Promise<void> {
  const among = stranger === undefined ? [] : [stranger.address, stranger.everywhere]
  await addFailures(db, [subject, ...among], clock.now())
}

export async function recordSignUpFailure(db: Db, clock: Clock, ip: string): Promise<void> {
  await addFailures(db, [`signup:${networkOf(ip)}`], clock.now())
}

/** Counts a request for a link by mail. Throws Refusal too_many, with the seconds to wait, beyond so many in an hour. */
export async function countResetRequest(db: Db, clock: Clock, ip: string): Promise<void> {
  const subject = `reset:${networkOf(ip)}`
  const now = clock.now()
  const oldest = await nthFailureBack(db, subject, resetRequestsMax)
  const waitMs = oldest === undefined ? 0 : oldest.getTime() + addressWindowMs - now.getTime()
  if (waitMs > 0) throw refusal('Too many links were asked for from your address.', waitMs)
  await addFailures(db, [subject], now)
}

/** A right password ends the delay of who gave it; address and account keep their own counts. */
export async function forgive(db: Db, { subject }: Guesser): Promise<void> {
  await clearFailures(db, subject)
}

function refusal(what: string, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const wait = seconds < 60 ? `${seconds} seconds` : `${Math.ceil(seconds / 60)} minutes`
  return new Refusal('too_many', `${what} Try again in ${wait}.`, { retryAfterSeconds: seconds })
}
