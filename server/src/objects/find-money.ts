// Bills by their period or paper, and payments by the hash of their transaction.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Found } from '@tollgate/contract/objects.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { parsePeriodId } from '../billing/index.ts'
import { rows } from '../platform/db.ts'
import { prefixPattern } from '../platform/lists/search-pattern.ts'
import { foundOf, ownerOf, type Asked } from './asked.ts'

interface BillRow {
  readonly id: string
  readonly username: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly amount_micro: string | null
  readonly paper: string | null
}

const day = (at: Date) => at.toISOString().slice(0, 10).split('-').toReversed().join('/')

/** Bills by period id or by the number of their invoice or credit note; a client's own. */
export async function findBills({ db, actor, text, max }: Asked): Promise<Found[]> {
  if (!isPermitted(actor.role, 'payment')) return []
  const owner = ownerOf(actor)
  const period = parsePeriodId(text)
  const isOwn = owner === undefined ? sql`true` : sql`user_id = ${owner}`
  // An invoice may be numbered like a period.
  const known = sql`
    (select cycle_id, user_id, null::text as paper from billing_periods
      where cycle_id = ${period?.cycleId ?? 0} and user_id = ${period?.userId ?? 0} and ${isOwn})
    union all
    (select cycle_id, user_id, number as paper from papers
      where lower(number) like ${prefixPattern(text)} and ${isOwn} order by id desc limit ${max})`
  const found = await rows<BillRow>(
    db,
    sql`select k.cycle_id || '-' || k.user_id as id, u.username, c.starts_at, c.ends_at, b.total_micro as amount_micro, k.paper
        from (${known}) k join users u on u.id = k.user_id join cycles c on c.id = k.cycle_id
        left join billing_periods b on b.cycle_id = k.cycle_id and b.user_id = k.user_id
        order by k.cycle_id desc limit ${max}`,
  )
  return found.map(({ id, username, starts_at, ends_at, amount_micro, paper }) =>
    foundOf({
      kind: 'bill',
      id,
      title: paper ?? `Bill ${id}`,
      detail: `${username} · ${day(starts_at)} – ${day(ends_at)} · ${usdt(amount_micro)}`,
    }),
  )
}

const usdt = (micro: string | null) => `${formatMicro(BigInt(micro ?? 0), 2)} USDT`

interface PaymentRow {
  readonly id: string
  readonly hash: string
  readonly username: string
  readonly status: string
  readonly amount_micro: string
  readonly period_id: string | null
}

/** Payments by the first characters of the transaction hash, six of them at least; a client's own. */
export async function findPayments({ db, actor, text, max }: Asked): Promise<Found[]> {
  const hash = /^(?:0x)?([0-9a-f]{6,64})$/i.exec(text)?.[1]
  if (hash === undefined || !isPermitted(actor.role, 'payment')) return []
  const owner = ownerOf(actor)
  const found = await rows<PaymentRow>(
    db,
    sql`select y.id, y.transaction_hash as hash, u.username, y.status, y.amount_micro,
          y.cycle_id || '-' || y.user_id as period_id
        from payments y join users u on u.id = y.user_id
        where y.transaction_hash like ${prefixPattern(hash)}
          and ${owner === undefined ? sql`true` : sql`y.user_id = ${owner}`}
        order by y.id desc limit ${max}`,
  )
  return found.map((payment) => ({
    kind: 'payment',
    id: payment.id,
    title: payment.hash,
    detail: `${payment.username} · ${usdt(payment.amount_micro)} · ${payment.status}`,
    periodId: payment.period_id ?? '',
  }))
}
