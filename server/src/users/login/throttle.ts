// Slows down the guessing of passwords. Only failures count, and no account is ever locked. A known caller (a session, or a
// device that signed in before) is counted separately, so that no stranger can keep an owner out. Decision 6.
import { Refusal } from '@tollgate/contract/errors.ts'
import { quote, sentence } from '@tollgate/contract/sentences.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import { deviceLifeDays } from '../../http/login-cookie.ts'
import { networkOf } from '../../platform/addresses/network-of.ts'
import {
  addUses,
  clearUses,
  clearUsesUnder,
  rateFreeAt,
  spendRate,
  usesSince,
  type RateAct,
  type SharedRate,
} from '../../platform/load/rate-uses.ts'
import { backoffMs } from '../../platform/work/backoff.ts'
import { isKnownDevice } from './device-store.ts'
import { hashOf } from './session-life.ts'

const minuteMs = 60_000
/** Failed attempts count among the uses of rates. */
export const failure: RateAct = 'failed attempt'
// OWASP ASVS 5.0, 6.1.1 and 6.3.1: five free tries in a quarter of an hour, then a delay that doubles.
const freeFailures = 5
const accountWindowMs = 15 * minuteMs
const firstDelayMs = 10_000
const hourMs = 60 * minuteMs
const addressFailures: SharedRate = { act: failure, max: 100, windowMs: hourMs }
// For one account from all addresses: more than a forgetful owner needs in an hour, and few for a distributed attack.
const freeFailuresEverywhere = 30
const firstWaitMs = 15_000
const waitMaxMs = 5 * minuteMs
// Enough for an office behind one address; beyond it somebody probes which accounts exist.
const passwordLinks: SharedRate = { act: 'password link', max: 20, windowMs: hourMs }

/** An attempt to sign in. */
export interface SignInAttempt {
  /** The named account, which may not exist. */
  readonly username: string
  readonly ip: string
  /** The browser's device cookie. */
  readonly device?: string | undefined
  /** The session, when somebody who is signed in reauthenticates. */
  readonly session?: string | undefined
}

/** The counters of failures that an attempt belongs to. */
export interface SignInSource {
  /** The counter for this account and this session, known device, or else network. */
  readonly subject: string
  /** Further counters for a caller who is not known to the account. */
  readonly stranger?: { readonly address: string; readonly everywhere: string; readonly wait: string }
}

/** The counters of an attempt: decides whether the account knows the caller. */
export async function sourceOf(db: Db, clock: Clock, attempt: SignInAttempt): Promise<SignInSource> {
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

/** The delay after the last of so many failures, in milliseconds. */
export function delayMs(failures: number): number {
  if (failures < freeFailures) return 0
  return backoffMs(failures - freeFailures + 1, { firstMs: firstDelayMs, maxMs: accountWindowMs })
}

/** How long a stranger waits for an attempt at an account with so many failures in an hour, in ms; at most 5 minutes. */
export function strangersWaitMs(failures: number): number {
  if (failures < freeFailuresEverywhere) return 0
  return backoffMs(Math.floor(failures / freeFailuresEverywhere), { firstMs: firstWaitMs, maxMs: waitMaxMs })
}

/**
 * Throws Refusal too_many, with the seconds to wait, while this attempt has to wait. With `isTurn` the password is checked
 * next: a wait that is over is then used up.
 */
export async function refuseThrottled(
  db: Db,
  clock: Clock,
  { subject, stranger }: SignInSource,
  isTurn: boolean,
): Promise<void> {
  const now = clock.now().getTime()
  const own = await usesSince(db, failure, subject, new Date(now - accountWindowMs))
  const waitMs = (own.lastAt?.getTime() ?? 0) + delayMs(own.count) - now
  if (own.count >= freeFailures && waitMs > 0)
    throw refusal('Too many wrong passwords for this account.', waitMs)
  if (stranger === undefined) return
  await refuseThrottledAddress(db, clock, stranger.address)
  await refuseStranger(db, now, stranger, isTurn)
}

/**
 * While an account is attacked from many addresses, each network of strangers waits before each attempt. The wait begins
 * with the network's own first attempt, so an owner on a new device waits 5 minutes at most.
 */
async function refuseStranger(
  db: Db,
  now: number,
  { everywhere, wait }: NonNullable<SignInSource['stranger']>,
  isTurn: boolean,
): Promise<void> {
  const hourAgo = new Date(now - hourMs)
  const { count } = await usesSince(db, failure, everywhere, hourAgo)
  const waitMs = strangersWaitMs(count)
  if (waitMs === 0) return
  const { firstAt: begun } = await usesSince(db, failure, wait, hourAgo)
  if (begun === null) await addUses(db, failure, [wait], new Date(now))
  const leftMs = (begun?.getTime() ?? now) + waitMs - now
  // Of two calls that waited together only one passes.
  if (leftMs <= 0 && (!isTurn || (await clearUses(db, failure, wait)) > 0)) return
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
  const now = clock.now()
  const freeAt = await rateFreeAt(db, addressFailures, subject, now)
  if (freeAt !== undefined)
    throw refusal('Too many failed attempts from your address.', freeAt.getTime() - now.getTime())
}

export async function recordFailure(
  db: Db,
  clock: Clock,
  { subject, stranger }: SignInSource,
): Promise<void> {
  const among = stranger === undefined ? [] : [stranger.address, stranger.everywhere]
  await addUses(db, failure, [subject, ...among], clock.now())
}

export async function recordSignUpFailure(db: Db, clock: Clock, ip: string): Promise<void> {
  await addUses(db, failure, [`signup:${networkOf(ip)}`], clock.now())
}

/** Counts a request for a link by mail. Throws Refusal too_many, with the seconds to wait, beyond 20 in an hour. */
export async function countResetRequest(tx: Db, clock: Clock, ip: string): Promise<void> {
  const now = clock.now()
  const freeAt = await spendRate(tx, passwordLinks, networkOf(ip), now)
  if (freeAt !== undefined)
    throw refusal('Too many links were asked for from your address.', freeAt.getTime() - now.getTime())
}

/** Resets the caller's own counter after a right password; those of the address and the account stay. */
export async function forgive(db: Db, { subject }: SignInSource): Promise<void> {
  await clearUses(db, failure, subject)
}

/** Resets the counters of an account from all origins, after its password was replaced. */
export async function forgiveAccount(db: Db, username: string): Promise<void> {
  await clearUsesUnder(db, failure, `account:${username.toLowerCase()}|`)
}

function refusal(what: string, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000)
  const again =
    seconds < 60
      ? sentence('Try again in {count} seconds.', { count: seconds })
      : sentence('Try again in {count} minutes.', { count: Math.ceil(seconds / 60) })
  return new Refusal('too_many', [quote(what), again], { retryAfterSeconds: seconds })
}
