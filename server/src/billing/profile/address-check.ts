// What we know about an address before money is sent to it. Attackers make addresses that look like a client's: with the
// same first and last characters, which is what people compare.
import { sql } from 'kysely'
import type { AddressCheck } from '@tollgate/contract/billing.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { addressBytes } from '../../rates/index.ts'
import type { BillingDeps } from '../deps.ts'
import { isBlacklisted } from '../tron/tron-node.ts'
import { refusedAddress } from './refused-address.ts'

// Every address begins with T, so three characters at each end are five that an attacker had to search for.
const endLength = 3

/** Checks the address against our own tables and, when a node is configured, against USDT's blacklist. */
export async function checkAddress(
  { db, clock, treasuryAddresses, egress, tron }: BillingDeps,
  userId: number,
  address: string,
): Promise<AddressCheck> {
  const bytes = addressBytes(address)
  const [profile, paid, lookAlikes, treasury, isBlocked, refused] = await Promise.all([
    row<ProfileAddresses>(
      db,
      sql`select case when next_from <= ${clock.now()} then next_address else usdt_address end as now,
            case when next_from > ${clock.now()} then next_address end as next
          from payment_profiles where user_id = ${userId}`,
    ),
    row<{ count: number; first: Date | null }>(
      db,
      sql`select count(*)::int as count, min(created_at) as first from payments
          where user_id = ${userId} and usdt_address = ${address} and status = 'confirmed'`,
    ),
    findLookAlikes(db, address),
    treasuryAddresses.get(db),
    bytes === undefined || tron === undefined ? undefined : isBlacklisted(egress, tron, bytes),
    refusedAddress({ treasuryAddresses, tron }, db, address),
  ])
  const treasuryLookAlikes = treasury.filter((own) => own !== address && endsOf(own) === endsOf(address))
  return {
    isValid: refused === undefined,
    problem: refused ?? '',
    paidCount: paid?.count ?? 0,
    firstPaidAt: paid?.first?.toISOString() ?? null,
    profile: profileState(profile, address),
    lookAlikes: [...lookAlikes, ...treasuryLookAlikes.map((own) => ({ address: own, userName: '' }))],
    isBlacklisted: isBlocked ?? null,
  }
}

interface ProfileAddresses {
  readonly now: string | null
  readonly next: string | null
}

function profileState(profile: ProfileAddresses | undefined, address: string): AddressCheck['profile'] {
  if (profile?.now == null) return 'none'
  if (profile.now === address) return 'same'
  return profile.next === address ? 'waiting' : 'other'
}

const endsOf = (address: string): string => address.slice(0, endLength) + address.slice(-endLength)

function findLookAlikes(db: Db, address: string): Promise<{ address: string; userName: string }[]> {
  return rows(
    db,
    sql`select distinct known.address, u.username as "userName" from (
          select user_id, usdt_address as address from payment_profiles
          union select user_id, next_address from payment_profiles
          union select user_id, usdt_address from billing_periods
          union select user_id, usdt_address from payouts
          union select user_id, usdt_address from payments
        ) known join users u on u.id = known.user_id
        where known.address <> ${address} and left(known.address, ${endLength}::int) = ${address.slice(0, endLength)}
          and right(known.address, ${endLength}::int) = ${address.slice(-endLength)}
        order by 1, 2 limit 20`,
  )
}
