// The accounts of clients: one with all its sums, the list of all, and their totals.
import { sql, type RawBuilder } from 'kysely'
import type { ListedAccount, accountSorts, ClientAccount } from '@tollgate/contract/books/books.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { keptReserves } from '../billing/index.ts'
import { balancesOf } from '../ledger/index.ts'
import { onlyRow, row, type Db } from '../platform/db.ts'
import type { PageReply } from '../http/handlers.ts'
import { containsPattern } from '../http/lists/search-pattern.ts'
import { sortedRows, type Sort, type SortedPage } from '../http/lists/sorted-page.ts'
import { sumsAt, type AgedSums } from '../payment-runs/index.ts'
import { sumSpan, type DaySpan } from './movement-views.ts'

const amount = (micro: bigint | string) => formatMicro(BigInt(micro), 2)

const aged = ({ days7, days14, days30, older }: AgedSums) => ({
  days7: amount(days7),
  days14: amount(days14),
  days30: amount(days30),
  older: amount(older),
})

/**
 * One client's account; undefined when there is no such person. `asTold`: as the client sees it, for whom what was held since
 * yesterday is earned as if it were not.
 */
export async function findAccount(
  db: Db,
  now: Date,
  userId: number,
  span: DaySpan,
  { asTold }: { readonly asTold: boolean },
): Promise<ClientAccount | undefined> {
  const found = await row<AgedSums & { username: string }>(
    db,
    sql`select u.username, ${sumsAt(now)} from users u
        left join debts d on d.user_id = u.id and not d.is_settled and d.due_micro > 0
        where u.id = ${userId} group by u.username`,
  )
  if (found === undefined) return undefined
  const balances = await balancesOf(db, userId)
  const of = (name: string) =>
    balances.reduce((sum, each) => (each.account === name ? sum + each.amountMicro : sum), 0n)
  const untold = asTold ? await untoldOf(db, userId) : nothingUntold
  const sums = await sumSpan(db, userId, span)
  return {
    userId,
    userName: found.username,
    balance: amount(of('billed') + of('credit')),
    billed: amount(of('billed')),
    ...aged(found),
    credit: amount(-of('credit')),
    unbilled: amount(of('payable') + untold.earnedMicro),
    held: amount(of('held') - untold.heldMicro),
    reserved: amount(of('reserved')),
    reserves: await keptReserves(db, userId),
    received: amount(of('paid')),
    span: {
      opening: amount(sums.opening),
      added: amount(sums.added),
      settled: amount(sums.settled),
      closing: amount(sums.closing),
    },
  }
}

const nothingUntold = { earnedMicro: 0n, heldMicro: 0n }

/** What was held, or refused, and the client is not told of yet. What was refused is held no more. */
async function untoldOf(db: Db, userId: number): Promise<typeof nothingUntold> {
  const found = await row<{ earned: string; held: string }>(
    db,
    sql`select coalesce(sum(amount_micro), 0)::text as earned, coalesce(sum(open_micro), 0)::text as held
        from untold_sums where user_id = ${userId}`,
  )
  return { earnedMicro: BigInt(found?.earned ?? 0), heldMicro: BigInt(found?.held ?? 0) }
}

// Sorted by what a bigint can hold; sums beyond it come first or last together.
const sortable = (sum: RawBuilder<unknown>) =>
  sql`least(greatest(${sum}, -9223372036854775807), 9223372036854775807)::bigint`

const sorts: Record<(typeof accountSorts)[number], Sort> = {
  userName: { expression: sql`lower(a.username)`, kind: 'text' },
  balance: { expression: sortable(sql`a.billed - a.credit`), kind: 'signed' },
  billed: { expression: sortable(sql`a.billed`), kind: 'signed' },
  credit: { expression: sql`a.credit`, kind: 'signed' },
  older: { expression: sortable(sql`a.older::numeric`), kind: 'signed' },
}

/** Every client, and whoever else has ever been billed or paid. */
const accountsAt = (now: Date): RawBuilder<unknown> => sql`(
  select u.id, u.username, u.email, o.oldest, coalesce(o.billed, 0) as billed, coalesce(c.amount_micro, 0) as credit,
    coalesce(o.days7, '0') as days7, coalesce(o.days14, '0') as days14, coalesce(o.days30, '0') as days30,
    coalesce(o.older, '0') as older
  from users u left join client_credits c on c.user_id = u.id
  left join (
    select d.user_id, min(d.owed_since) as oldest, sum(d.due_micro) as billed, ${sumsAt(now)}
    from debts d where not d.is_settled and d.due_micro > 0 group by d.user_id
  ) o on o.user_id = u.id
  where u.role = 'user' or o.user_id is not null
    or exists (select from ledger_lines l where l.user_id = u.id and l.kind <> 'traffic')
)`

export interface AccountFilter {
  readonly search?: string | undefined
  readonly show?: 'all' | 'owed' | undefined
}

interface AccountSums extends Omit<AgedSums, 'total'> {
  readonly billed: string
  readonly credit: string
}

interface AccountSumsRow extends AccountSums {
  readonly id: number
  readonly username: string
  readonly oldest: Date | null
}

const toSums = ({ billed, credit, ...ages }: AccountSums) => ({
  balance: amount(BigInt(billed) - BigInt(credit)),
  billed: amount(billed),
  credit: amount(credit),
  ...aged({ ...ages, total: billed }),
})

/** A page of accounts. */
export async function listAccounts(
  db: Db,
  now: Date,
  { search, show }: AccountFilter,
  page: SortedPage<(typeof accountSorts)[number]>,
): Promise<PageReply<ListedAccount[]>> {
  const pattern = containsPattern(search ?? '')
  const conditions = [
    search !== undefined && search !== '' && sql`(a.username ilike ${pattern} or a.email ilike ${pattern})`,
    show === 'owed' && sql`(a.billed <> 0 or a.credit <> 0)`,
  ]
  const list = {
    sort: sorts[page.sort],
    id: sql`a.id`,
    columns: sql`a.*`,
    source: sql`${accountsAt(now)} a`,
    conditions,
  }
  const found = await sortedRows<AccountSumsRow>(db, list, page)
  const items = found.rows.map((each) => ({
    userId: each.id,
    userName: each.username,
    ...toSums(each),
    oldestAt: each.oldest?.toISOString() ?? null,
  }))
  return { items, next: found.next }
}

/** The sums of all accounts. */
export async function sumAccounts(db: Db, now: Date) {
  const sum = (name: string) =>
    sql`coalesce(sum(${sql.ref(`a.${name}`)}::numeric), 0)::text as ${sql.ref(name)}`
  const found = await onlyRow<AccountSums & { client_count: number }>(
    db,
    sql`select count(*)::int as client_count, ${sql.join(
      ['billed', 'credit', 'days7', 'days14', 'days30', 'older'].map(sum),
    )} from ${accountsAt(now)} a`,
  )
  return { clientCount: found.client_count, ...toSums(found) }
}
