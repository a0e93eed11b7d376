// The limit of new accounts per network and hour. It is counted in the database, so that all nodes share it.
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { networkOf } from '../../platform/addresses/network-of.ts'
import { rateFreeAt, spendRate, type SharedRate } from '../../platform/load/rate-uses.ts'

const hourMs = 3_600_000
// An IPv6 household or company has a /48 (RFC 6177); with IPv4 it has a single address.
const ipv6Bits = 48

/** The network that a sign-up counts for. */
export function signUpNetworkOf(ip: string): string {
  return networkOf(ip, ipv6Bits)
}

const rateOf = (perHour: number): SharedRate => ({ act: 'sign-up', max: perHour, windowMs: hourMs })

/** Throws Refusal too_many when the network made `perHour` accounts in the last hour. */
export async function refuseSpentBudget(db: Db, network: string, perHour: number, now: Date): Promise<void> {
  refuseUntil(await rateFreeAt(db, rateOf(perHour), network, now), now)
}

/** Counts a new account, under a lock of the network. Throws what {@link refuseSpentBudget} throws. */
export async function spendBudget(tx: Db, network: string, perHour: number, now: Date): Promise<void> {
  refuseUntil(await spendRate(tx, rateOf(perHour), network, now), now)
}

function refuseUntil(freeAt: Date | undefined, now: Date): void {
  if (freeAt === undefined) return
  const seconds = Math.max(1, Math.ceil((freeAt.getTime() - now.getTime()) / 1_000))
  throw new Refusal(
    'too_many',
    sentence(
      'Too many accounts were made from your network. Try again in {count} minutes, or ask support for an account.',
      { count: Math.ceil(seconds / 60) },
    ),
    { retryAfterSeconds: seconds },
  )
}
