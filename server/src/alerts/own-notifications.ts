// What a client should know of, read from the rows that other slices keep of it: nothing is written twice.
import { sql } from 'kysely'
import { ownNotificationsMax, type OwnNotification } from '@tollgate/contract/alerts/alerts.ts'
import { replyRows } from '../http/reply.ts'
import type { NumberPrice } from '@tollgate/contract/numbers/numbers.ts'
import { pricesByNumber, pricesOf } from '../numbers/index.ts'
import { rows, type Db } from '../platform/db.ts'

const keptMs = 30 * 86_400_000

/** The newest first, of the last 30 days. */
export async function listOwnNotifications(db: Db, userId: number, now: Date): Promise<OwnNotification[]> {
  const since = new Date(now.getTime() - keptMs)
  const found = await Promise.all([
    readPaid(db, userId, since),
    readRequests(db, userId, since),
    readNumbers(db, userId, since),
    readRates(db, userId, since, now),
    readPrices(db, userId, since, now),
  ])
  return found
    .flat()
    .toSorted((a, b) => b.at.localeCompare(a.at))
    .slice(0, ownNotificationsMax)
}

function readPaid(db: Db, userId: number, since: Date): Promise<OwnNotification[]> {
  return replyRows(
    db,
    sql`select 'paid' as kind, max(l.at) as at, sum(l.amount_micro)::text as amount_micro
        from ledger_lines l join payments y on y.id = l.reference::bigint
        where l.user_id = ${userId} and l.kind = 'payment' and l.account = 'paid' and l.at >= ${since}
        group by coalesce(y.transaction_hash, y.id::text) having sum(l.amount_micro) > 0
        order by max(l.at) desc limit ${ownNotificationsMax}`,
  )
}

function readRequests(db: Db, userId: number, since: Date): Promise<OwnNotification[]> {
  return replyRows(
    db,
    sql`select 'request' as kind, processed_at as at, status, assigned_number as number, rejection_reason as reason
        from number_requests
        where user_id = ${userId} and processed_at >= ${since} and status in ('approved', 'assigned', 'rejected')
        order by processed_at desc limit ${ownNotificationsMax}`,
  )
}

/** Numbers that were assigned at once are one line. Whoever took a number himself knows of it. */
function readNumbers(db: Db, userId: number, since: Date): Promise<OwnNotification[]> {
  return replyRows(
    db,
    sql`select 'number' as kind, h.created_at as at, min(n.number) as number, count(*)::int as count
        from number_holders h join numbers n on n.id = h.number_id
        where h.user_id = ${userId} and h.created_at >= ${since} and h.held_to is null and h.assigned_by <> h.user_id
        group by h.created_at order by h.created_at desc limit ${ownNotificationsMax}`,
  )
}

/** A rate that waits is told when it was set, one that has started when it began. */
async function readRates(db: Db, userId: number, since: Date, now: Date): Promise<OwnNotification[]> {
  const prices = await pricesOf(db, { id: null, holderId: userId, heldFrom: since })
  const announced = await rows<{ starts_at: Date; created_at: Date }>(
    db,
    sql`select starts_at, created_at from scheduled_rates
        where number_id is null and (user_id is null or user_id = ${userId})`,
  )
  const toldAt = (start: Date) =>
    announced.find(({ starts_at }) => starts_at.getTime() === start.getTime())?.created_at ?? start
  return prices.flatMap(({ usdPerSms, validFrom }, place) => {
    const before = prices[place + 1]
    if (before === undefined || before.usdPerSms === usdPerSms) return []
    const start = new Date(validFrom)
    const at = start > now ? toldAt(start) : start
    return [
      {
        kind: 'rate' as const,
        at: at.toISOString(),
        startsAt: validFrom,
        before: before.usdPerSms,
        usdPerSms,
      },
    ]
  })
}

interface ChangedNumber {
  readonly id: number
  readonly number: string
  readonly since: Date
  /** When the holder could first know of the price that waits, if one does. */
  readonly announced_at: Date | null
}

type PriceNotice = Extract<OwnNotification, { kind: 'price' }>

/** The same of numbers with a price of their own, since the client holds them. Numbers that change alike are one line. */
async function readPrices(db: Db, userId: number, since: Date, now: Date): Promise<OwnNotification[]> {
  const found = await rows<ChangedNumber>(
    db,
    sql`select n.id, n.number, greatest(n.held_from, ${since}) as since,
          greatest(s.created_at, n.held_from) as announced_at
        from numbers n left join scheduled_rates s on s.number_id = n.id
          left join lateral (select max(valid_from) as at from rates
            where scope = 'number' and number_id = n.id and valid_from > greatest(n.held_from, ${since})) r on true
        where n.holder_id = ${userId} and n.deleted_at is null and coalesce(r.at, s.created_at) is not null
        order by greatest(r.at, s.created_at) desc`,
  )
  const prices = await pricesByNumber(db, {
    holderId: userId,
    numbers: found.map(({ id, since: heldFrom }) => ({ id, heldFrom })),
  })
  const alike = new Map<string, PriceNotice>()
  for (const each of found) {
    for (const change of changesOf(prices.get(each.id) ?? [])) {
      const { startsAt, before, usdPerSms } = change
      const key = `${startsAt} ${before} ${usdPerSms}`
      const isWaiting = Date.parse(startsAt) > now.getTime()
      const at = isWaiting && each.announced_at !== null ? each.announced_at.toISOString() : startsAt
      const seen = alike.get(key)
      alike.set(key, {
        kind: 'price',
        at: seen !== undefined && seen.at > at ? seen.at : at,
        ...change,
        number: seen?.number ?? each.number,
        count: (seen?.count ?? 0) + 1,
      })
    }
  }
  return [...alike.values()]
}

/** The changes that begin or end a price of the number's own; the others are those of the client's rate. */
function changesOf(prices: readonly NumberPrice[]): Pick<PriceNotice, 'startsAt' | 'before' | 'usdPerSms'>[] {
  return prices.flatMap(({ usdPerSms, validFrom, from }, place) => {
    const before = prices[place + 1]
    if (before === undefined || before.usdPerSms === usdPerSms) return []
    if (from !== 'number' && before.from !== 'number') return []
    return [{ startsAt: validFrom, before: before.usdPerSms, usdPerSms }]
  })
}
