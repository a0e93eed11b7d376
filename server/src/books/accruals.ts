// What was earned and not billed, and billed and not paid, at an instant.
import { sql } from 'kysely'
import type { Accruals } from '@tollgate/contract/books/books.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { balancesAt, type BalancesAt } from '../ledger/index.ts'
import type { Db } from '../platform/db.ts'
import { exportPageRows } from '../files/formats/csv.ts'

const clientsMax = 500

type Owed = Omit<BalancesAt, 'userId'>

const owedMicro = ({ payableMicro, heldMicro, billedMicro, creditMicro }: Owed) =>
  payableMicro + heldMicro + billedMicro + creditMicro

function toAmounts(sums: Owed) {
  const amount = (micro: bigint) => formatMicro(micro, 2)
  return {
    unbilled: amount(sums.payableMicro),
    held: amount(sums.heldMicro),
    billed: amount(sums.billedMicro),
    credit: amount(-sums.creditMicro),
    owed: amount(owedMicro(sums)),
    paid: amount(sums.paidMicro),
  }
}

/** A client with its sums at the instant. */
export interface Accrual extends ReturnType<typeof toAmounts> {
  readonly userId: number
  readonly userName: string
}

async function named(db: Db, clients: readonly BalancesAt[]): Promise<Accrual[]> {
  const found = await db
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', sql<number>`any(${clients.map(({ userId }) => userId)}::int[])`)
    .execute()
  const names = new Map(found.map(({ id, username }) => [id, username]))
  return clients.map((client) => ({
    userId: client.userId,
    userName: names.get(client.userId) ?? '',
    ...toAmounts(client),
  }))
}

const compare = (a: bigint, b: bigint) => (a < b ? 1 : a > b ? -1 : 0)

/** The sums of all clients, and those of the clients to whom most was owed. `at` is now when it is not given. */
export async function readAccruals(db: Db, now: Date, at?: Date): Promise<Accruals> {
  const all = await listBalances(db, now, at)
  const total = (of: (client: BalancesAt) => bigint) => all.reduce((sum, client) => sum + of(client), 0n)
  const largest = all.toSorted((a, b) => compare(owedMicro(a), owedMicro(b)) || a.userId - b.userId)
  return {
    at: (at ?? now).toISOString(),
    clientCount: all.length,
    totals: toAmounts({
      payableMicro: total(({ payableMicro }) => payableMicro),
      heldMicro: total(({ heldMicro }) => heldMicro),
      billedMicro: total(({ billedMicro }) => billedMicro),
      creditMicro: total(({ creditMicro }) => creditMicro),
      paidMicro: total(({ paidMicro }) => paidMicro),
    }),
    clients: await named(db, largest.slice(0, clientsMax)),
  }
}

/** Every client's sums at the instant, some at a time. */
export async function* eachAccrual(db: Db, now: Date, at?: Date): AsyncGenerator<Accrual[]> {
  const all = await listBalances(db, now, at)
  for (let from = 0; from < all.length; from += exportPageRows)
    yield await named(db, all.slice(from, from + exportPageRows))
}

/** A future instant counts as now. */
function listBalances(db: Db, now: Date, at?: Date): Promise<BalancesAt[]> {
  return balancesAt(db, at === undefined || at >= now ? undefined : at)
}
