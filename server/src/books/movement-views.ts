// The movements of one client's account, as the ledger has them: each posting that changed what is billed, the credit,
// what is earned and not billed, or what was received. Messages are in it with their bill.
import { sql, type RawBuilder } from 'kysely'
import type { Movement } from '@tollgate/contract/books/books.ts'
import type { MovementType } from '@tollgate/contract/vocabulary.ts'
import { row, type Db } from '../platform/db.ts'
import { replyRows } from '../http/reply.ts'
import type { PageReply } from '../http/handlers.ts'
import { cutPage } from '../http/lists/cursor.ts'
import { allOf, keyset, type SortedPage } from '../http/lists/sorted-page.ts'

/** Days in UTC, both included. */
export interface DaySpan {
  readonly from?: string | undefined
  readonly to?: string | undefined
}

export interface MovementFilter extends DaySpan {
  readonly type?: MovementType | undefined
  /** As the client sees it: a refusal from the next morning on. */
  readonly asTold?: boolean
}

const dayStart = (day: string) => sql`(${day}::date)::timestamp at time zone 'UTC'`
/** The instant before which a span ends: the end of its last day. */
const spanEnd = (day: string) => sql`(${day}::date + 1)::timestamp at time zone 'UTC'`

const sumOf = (...accounts: string[]) =>
  sql`coalesce(sum(amount_micro) filter (where account in (${sql.join(accounts)})), 0)`

// A transaction may post several things, so a movement is what it says of one thing. A hold and its release change nothing
// here: what is held is earned and not billed too.
const movementsOf = (userId: number): RawBuilder<unknown> => sql`
  select *, sum(amount_micro) over (order by at, id rows unbounded preceding) as balance_micro from (
    select min(id) as id, min(at) as at, kind, reference, min(cycle_id) as cycle_id, min(reason) as reason,
      ${sumOf('billed', 'credit')} as amount_micro, ${sumOf('payable', 'held')} as unbilled_micro,
      -${sumOf('credit')} as credit_micro, ${sumOf('paid')} as received_micro
    from ledger_lines where user_id = ${userId} and kind <> 'traffic'
    group by transaction_id, kind, reference
  ) postings
  where amount_micro <> 0 or unbilled_micro <> 0 or credit_micro <> 0 or received_micro <> 0`

const typeOf = sql`case
  when m.kind = 'bill' and m.reference like 'payouts-%' then 'payout'
  when m.kind = 'set_off' and m.credit_micro <> 0 then 'credit_used'
  else m.kind end`

const isBill = sql`m.reference ~ '^[0-9]+-[0-9]+$'`

/** A page of movements. */
export async function listMovements(
  db: Db,
  userId: number,
  { from, to, type, asTold = false }: MovementFilter,
  page: Omit<SortedPage<'at'>, 'sort'>,
): Promise<PageReply<Movement[]>> {
  const set = keyset({ expression: sql`m.at`, kind: 'time' }, sql`m.id`, page.order, page.cursor)
  const condition = allOf([
    from !== undefined && sql`m.at >= ${dayStart(from)}`,
    to !== undefined && sql`m.at < ${spanEnd(to)}`,
    type !== undefined && sql`${typeOf} = ${type}`,
    // Whoever is not told of the hold is not told of what became of it. The balance is without it.
    asTold && sql`(m.kind <> 'refusal' or is_told(next_morning(m.at)))`,
    set.after,
  ])
  const found = await replyRows<Movement & { readonly sortKey: string }>(
    db,
    sql`with page as (
          select m.*, ${typeOf} as type, ${set.key} as sort_key from (${movementsOf(userId)}) m
          where ${condition} order by ${set.orderBy} limit ${page.limit + 1}
        )
        select m.id, m.at, m.type, m.amount_micro::text, m.balance_micro::text,
          m.unbilled_micro::text as unbilled_amount_micro, m.credit_micro::text as credit_amount_micro,
          m.received_micro::text as received_amount_micro, m.sort_key, c.starts_at as period_start, c.ends_at as period_end,
          coalesce(
            case when m.type in ('bill', 'void', 'carry', 'set_off', 'credit_used') and ${isBill} then m.reference end,
            (y.cycle_id || '-' || y.user_id), (n.cycle_id || '-' || n.user_id)) as period_id,
          coalesce(substring(m.reference from '^payout-([0-9]+)$'), y.payout_id::text) as payout_id,
          coalesce(y.transaction_hash, '') as transaction_hash,
          coalesce(case m.type when 'credit_note' then n.client_reason when 'adjustment' then m.reason end, '') as note
        from page m join cycles c on c.id = m.cycle_id
        left join payments y on y.id = case when m.type in ('payment', 'waiver', 'credit') then m.reference::bigint end
        left join bill_amendments n on n.id = case when m.type = 'credit_note' and m.reference ~ '^[0-9]+$' then m.reference::bigint end
        order by ${set.orderBy}`,
  )
  const cut = cutPage(found, page.limit, ({ sortKey, id }) => [sortKey, id])
  return { items: cut.rows.map(({ sortKey: _key, ...movement }) => movement), next: cut.next }
}

/** What stood before the days, what was added and taken off in them, and what stood at their end, in millionths. */
export async function sumSpan(db: Db, userId: number, { from, to }: DaySpan) {
  const since = from === undefined ? sql`'-infinity'::timestamptz` : dayStart(from)
  const until = to === undefined ? sql`'infinity'::timestamptz` : spanEnd(to)
  const sum = (condition: RawBuilder<unknown>) =>
    sql`coalesce(sum(amount_micro) filter (where ${condition}), 0)::text`
  const within = sql`at >= ${since} and at < ${until}`
  const found = await row<{ opening: string; added: string; settled: string }>(
    db,
    sql`select ${sum(sql`at < ${since}`)} as opening, ${sum(sql`${within} and amount_micro > 0`)} as added,
          ${sum(sql`${within} and amount_micro < 0`)} as settled
        from (${movementsOf(userId)}) m`,
  )
  if (found === undefined) throw new Error('A sum came without its row')
  const [opening, added, settled] = [BigInt(found.opening), BigInt(found.added), BigInt(found.settled)]
  return { opening, added, settled, closing: opening + added + settled }
}
