// What is known of an address before money goes there. A forged address copies the ends that people compare.
import { sql } from 'kysely'
import type { AddressCheck } from '@tollgate/contract/billing.ts'
import { row, rows, type Db } from '../platform/db.ts'
import { addressBytes } from './address.ts'
import type { BillingParts } from './parts.ts'
import { isBlacklisted } from './tron-node.ts'

// Every address begins with T, so three characters at each end are five that somebody had to grind for.
const endLength = 3

/** Looks at our own books and, when there is a node, at USDT's blacklist. */
export async function checkAddress(
  { db, clock, treasuryAddresses, egress, tron }: BillingParts,
  userId: number,
  address: string,
): Promise<AddressCheck> {
  const bytes = addressBytes(address)
  const [own, paid, known, treasury, isRefused] = await Promise.all([
    row<{ now: string | null; next: string | null }>(
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
  ])
  const forged = treasury.filter((one) => one !== address && endsOf(one) === endsOf(address))
  return {
    isValid: bytes !== undefined,
    paidCount: paid?.count ?? 0,
    firstPaidAt: paid?.first?.toISOString() ?? null,
    profile:
      own?.now == null ? 'none' : own.now === address ? 'same' : own.next === address ? 'waiting' : 'other',
    lookAlikes: [...known, ...forged.map((one) => ({ address: one, userName: '' }))],
    isBlacklisted: isRefused ?? null,
  }
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
