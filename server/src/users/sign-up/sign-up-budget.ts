// The limit of new accounts per network and hour. It is counted in the database, so that all nodes share it.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { networkOf } from '../../platform/addresses/network-of.ts'
import { addSignUp, deleteOldSignUps, lockSignUps, nthSignUpBack } from './store.ts'

const hourMs = 3_600_000
// An IPv6 household or company has a /48 (RFC 6177); with IPv4 it has a single address.
const ipv6Bits = 48

/** The network that a sign-up counts for. */
export function signUpNetworkOf(ip: string): string {
  return networkOf(ip, ipv6Bits)
}

/** Throws Refusal too_many when the network made `perHour` accounts in the last hour. */
export async function refuseSpentBudget(db: Db, network: string, perHour: number, now: Date): Promise<void> {
  const madeAt = await nthSignUpBack(db, network, perHour, new Date(now.getTime() - hourMs))
  if (madeAt === undefined) return
  const seconds = Math.max(1, Math.ceil((madeAt.getTime() + hourMs - now.getTime()) / 1_000))
  throw new Refusal(
    'too_many',
    sentence(
      'Too many accounts were made from your network. Try again in {count} minutes, or ask support for an account.',
      { count: Math.ceil(seconds / 60) },
    ),
    { retryAfterSeconds: seconds },
  )
}

/** Counts a new account, under a lock of the network. Throws what {@link refuseSpentBudget} throws. */
export async function spendBudget(tx: Db, network: string, perHour: number, now: Date): Promise<void> {
  await lockSignUps(tx, network)
  await refuseSpentBudget(tx, network, perHour, now)
  await addSignUp(tx, network, now)
}

/** Deletes what no longer counts. */
export function sweepSignUps(db: Db, now: Date): Promise<void> {
  return deleteOldSignUps(db, new Date(now.getTime() - hourMs))
}
