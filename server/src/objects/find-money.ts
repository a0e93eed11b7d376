// Bills by their period or invoice, and payments by the hash of their transaction.
import { sql } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { Found } from '@tollgate/contract/objects/objects.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { BillingPeriod } from '@tollgate/contract/billing/bills.ts'
import { findPeriod, parsePeriodId } from '../billing/index.ts'
import { rows } from '../platform/db.ts'
import { prefixPattern } from '../http/lists/search-pattern.ts'
import { foundOf, ownerOf, type SearchQuery } from './finder.ts'

interface BillRow {
  readonly id: string
  readonly username: string
  readonly starts_at: Date
  readonly ends_at: Date
  readonly amount_micro: string | null
  readonly invoice: string
}

const day = (at: Date) => at.toISOString().slice(0, 10).split('-').toReversed().join('/')

/** Bills by period id, also one that is open, or by the number of their invoice or credit note; a client's own. */
export async function findBills({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  if (!isPermitted(actor.role, 'payment')) return []
  const owner = ownerOf(actor)
  const period = parsePeriodId(text.replace(/^#/, ''))
  const isVisible = period !== undefined && (owner === undefined || owner === period.userId)
  const bill = isVisible
    ? await findPeriod(db, {
        ...period,
        hasOwnOpen: true,
        hasUnbilled: true,
        asTold: owner !== undefined,
        now: new Date(),
      })
    : undefined
  // An invoice may be numbered like a period.
  const found = await rows<BillRow>(
    db,
    sql`select k.cycle_id || '-' || k.user_id as id, u.username, c.starts_at, c.ends_at, b.total_micro as amount_micro,
          k.number as invoice
        from (select cycle_id, user_id, number from invoices
          where lower(number) like ${prefixPattern(text)} and ${owner === undefined ? sql`true` : sql`user_id = ${owner}`}
          order by id desc limit ${max}) k
        join users u on u.id = k.user_id join cycles c on c.id = k.cycle_id
        left join billing_periods b on b.cycle_id = k.cycle_id and b.user_id = k.user_id
        order by k.cycle_id desc`,
  )
  const invoices = found.map(({ id, username, starts_at, ends_at, amount_micro, invoice }) =>
    foundOf({
      kind: 'bill',
      id,
      title: invoice,
      detail: `${username} · ${day(starts_at)} – ${day(ends_at)} · ${usdt(amount_micro)}`,
    }),
  )
  return bill === undefined ? invoices : [foundBill(bill), ...invoices].slice(0, max)
}

function foundBill({ id, userName, periodStart, periodEnd, totalCost, status }: BillingPeriod): Found {
  const span = `${day(new Date(periodStart))} – ${day(new Date(periodEnd))}`
  const state = status === 'pending' ? ' · open' : ''
  return foundOf({
    kind: 'bill',
    id,
    title: `Bill ${id}`,
    detail: `${userName} · ${span} · ${totalCost} USDT${state}`,
  })
}

const usdt = (micro: string | null) => `${formatMicro(BigInt(micro ?? 0), 2)} USDT`

interface FoundPaymentRow {
  readonly id: string
  readonly hash: string
  readonly username: string
  readonly status: string
  readonly amount_micro: string
  readonly period_id: string | null
}

const hashIn = (text: string) => /^(?:0x)?([0-9a-f]{6,64})$/i.exec(text)?.[1]

/** Payments by the first characters of the transaction hash, six of them at least; a client's own. */
export async function findPayments({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  const hash = hashIn(text)
  if (hash === undefined || !isPermitted(actor.role, 'payment')) return []
  const owner = ownerOf(actor)
  const found = await rows<FoundPaymentRow>(
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

interface FoundTransferRow {
  readonly hash: string
  readonly to: string
  readonly amount_micro: string
  readonly booked_micro: string
}

/** Transfers that left our wallets, by the first characters of the transaction hash; for staff. */
export async function findTransfers({ db, actor, text, max }: SearchQuery): Promise<Found[]> {
  const hash = hashIn(text)
  if (hash === undefined || !isPermitted(actor.role, 'paymentManagement')) return []
  const found = await rows<FoundTransferRow>(
    db,
    sql`with wallets as (
          select trim(each) as address from settings s, unnest(string_to_array(s.value, ',')) each
          where s.key = 'treasury_addresses'
        )
        select t.txid as hash, t.to_address as to, t.amount_micro, t.booked_micro from transfers t
        where t.txid like ${prefixPattern(hash)} and t.is_final
          and t.from_address in (select address from wallets) and t.to_address not in (select address from wallets)
        order by t.id desc limit ${max}`,
  )
  return found.map(({ hash: id, to, amount_micro, booked_micro }) =>
    foundOf({
      kind: 'transfer',
      id,
      title: id,
      detail: `${usdt(amount_micro)} · to ${to}${booked_micro === '0' ? ' · not booked' : ''}`,
    }),
  )
}
