// The binds of one account: those that are live, what the account allows, its receipts, and binds that were refused.
import { sql } from 'kysely'
import { statusText } from '@tollgate/smpp/values/command-status.ts'
import type { OwnBinds, OwnRefusedBind } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import { replyRows } from '../http/reply.ts'
import { row, type Db } from '../platform/db.ts'
import { refusalStatuses, liveBinds } from '../gateway/index.ts'
import { ownSystemIds } from './gateways.ts'

const refusedMax = 100
const waitingMax = 5_000

/** The binds, limits and receipts of this account. */
export async function readOwnBinds(db: Db, userId: number, now: Date): Promise<OwnBinds> {
  const [account, receipts, binds] = await Promise.all([
    row<Pick<OwnBinds, 'systemId' | 'hasAccess' | 'throughput' | 'window' | 'maxConnections'>>(
      db,
      sql`select coalesce(c.system_id, '') as "systemId", u.smpp_access as "hasAccess", u.throughput,
            u.smpp_window as "window", u.max_connections as "maxConnections"
          from users u left join smpp_credentials c on c.user_id = u.id where u.id = ${userId}`,
    ),
    readReceipts(db, userId, now),
    liveBinds(db, userId),
  ])
  if (account === undefined) throw new Error('The account of this session is gone')
  const perSecond = binds.reduce((sum, { messagesPerSecond }) => sum + messagesPerSecond, 0)
  return { ...account, messagesPerSecond: Math.round(perSecond * 10) / 10, receipts, binds }
}

async function readReceipts(db: Db, userId: number, now: Date): Promise<OwnBinds['receipts']> {
  const found = await row<OwnBinds['receipts']>(
    db,
    sql`select
          (select count(*)::int from (
            select from bind_deliveries where user_id = ${userId} and status = 'pending' and kind = 'receipt'
            limit ${waitingMax}
          ) waiting) as waiting,
          coalesce(sum(taken_count), 0)::float8 as taken, coalesce(sum(failed_count), 0)::float8 as "notTaken"
        from receipt_hours where user_id = ${userId} and hour > ${now}::timestamptz - interval '24 hours'`,
  )
  return found ?? { waiting: 0, taken: 0, notTaken: 0 }
}

/** The latest first. A peer that went away by itself was not refused. */
export async function listOwnRefusedBinds(db: Db, userId: number, now: Date): Promise<OwnRefusedBind[]> {
  const known = Object.keys(refusalStatuses)
  const found = await replyRows<Omit<OwnRefusedBind, 'status' | 'statusText'>>(
    db,
    // Those of address "other" are of many peers, counted together.
    sql`select system_id, address, reason, sum(refused_count)::float8 as count, max(last_at) as last_at
        from refused_binds
        where system_id = any(${await ownSystemIds(db, userId)}::text[])
          and hour > ${now}::timestamptz - interval '7 days' and address <> 'other'
          and reason <> 'gone' and reason = any(${known}::text[])
        group by 1, 2, 3 order by last_at desc, 1, 2, 3 limit ${refusedMax}`,
  )
  return found.map((bind) => ({
    ...bind,
    status: refusalStatuses[bind.reason],
    statusText: statusText(refusalStatuses[bind.reason]),
  }))
}
