// What we know about an address before money is sent to it. Attackers make addresses that look like a client's: with the
// same first and last characters, which is what people compare.
import { sql } from 'kysely'
import type { AddressCheck } from '@tollgate/contract/billing/payment-profile.ts'
import { row, rows, type Db } from '../../platform/db.ts'
import { addressBytes } from '../../rates/index.ts'
import type { BillingDeps } from '../deps.ts'
import { isBlacklisted } from '../../tron/index.ts'
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
  const [profile, paid, lookAlikes, isBlocked, refused] = await Promise.all([
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
    treasuryAddresses.get(db).then((treasury) => findLookAlikes(db, [address], treasury)),
    bytes === undefined || tron === undefined ? undefined : isBlacklisted(egress, tron, bytes),
    refusedAddress({ treasuryAddresses, tron }, db, address),
  ])
  return {
    isValid: refused === undefined,
    problem: refused ?? '',
    paidCount: paid?.count ?? 0,
    firstPaidAt: paid?.first?.toISOString() ?? null,
    profile: profileState(profile, address),
    lookAlikes: lookAlikes.map(({ address: other, userName }) => ({ address: other, userName })),
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

/** Known addresses that look like another one, each with its owner; '' for a wallet of our own. */
export interface LookAlike {
  readonly of: string
  readonly address: string
  readonly userName: string
}

/** Known addresses, and those of `treasury`, with the same ends as one of `addresses`. */
export async function findLookAlikes(
  db: Db,
  addresses: readonly string[],
  treasury: readonly string[],
): Promise<LookAlike[]> {
  const found = await rows<LookAlike>(
    db,
    sql`select distinct checked.address as "of", known.address, u.username as "userName" from (
          select user_id, usdt_address as address from payment_profiles
          union select user_id, next_address from payment_profiles
          union select user_id, usdt_address from billing_periods
          union select user_id, usdt_address from payouts
          union select user_id, usdt_address from payments
        ) known join users u on u.id = known.user_id
        join unnest(${[...addresses]}::text[]) checked (address)
          on left(known.address, ${endLength}::int) || right(known.address, ${endLength}::int)
            = left(checked.address, ${endLength}::int) || right(checked.address, ${endLength}::int)
          and known.address <> checked.address
        order by 1, 2, 3 limit ${20 * addresses.length}`,
  )
  const ours = addresses.flatMap((of) =>
    treasury
      .filter((own) => own !== of && endsOf(own) === endsOf(of))
      .map((address) => ({ of, address, userName: '' })),
  )
  return [...found, ...ours]
}
