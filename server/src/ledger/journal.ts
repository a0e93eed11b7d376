// The ledger as a journal: each entry debits one account and credits another. A stream, a day after the other, with as
// much in memory as the entries that are not paired yet.
import { sql } from 'kysely'
import type { LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { row, rows, type Db } from '../platform/db.ts'

/** An amount that moved from one account to another. */
export interface JournalEntry {
  /** UTC, `yyyy-MM-dd`. */
  readonly day: string
  /** The ledger's transaction; '' for the messages of a client and day, which are many transactions. */
  readonly transactionId: string
  /** The business event, as the ledger has it; 'traffic' for messages. */
  readonly kind: string
  readonly reference: string
  /** Whose account is debited or credited; '' when it concerns the platform only. */
  readonly userName: string
  readonly debit: LedgerAccount
  readonly credit: LedgerAccount
  /** Above 0. */
  readonly amountMicro: bigint
}

interface JournalLineRow {
  readonly id: string
  readonly transaction_id: string
  readonly account: LedgerAccount
  readonly amount_micro: string
  readonly kind: string
  readonly reference: string | null
  readonly username: string | null
}

// More rows at once would be felt by the one thread that answers messages.
const linesPerPage = 400
const entriesPerPage = 200

const within = (day: string) =>
  sql`at >= (${day}::date)::timestamp at time zone 'UTC' and at < (${day}::date + 1)::timestamp at time zone 'UTC'`

/** Every transaction of the days, each once. Messages are one entry for each client and day. Days are UTC, both included. */
export async function* readJournal(db: Db, days: Iterable<string>): AsyncGenerator<readonly JournalEntry[]> {
  for (const day of days) {
    const traffic = await trafficOf(db, day)
    for (let from = 0; from < traffic.length; from += entriesPerPage)
      yield traffic.slice(from, from + entriesPerPage)
    yield* postingsOf(db, day)
  }
}

async function trafficOf(db: Db, day: string): Promise<JournalEntry[]> {
  const found = await rows<{ username: string | null; amount: string }>(
    db,
    sql`select u.username, e.amount::text from (
          select user_id, sum(amount_micro) as amount from ledger_entries
          where kind = 'traffic' and account = 'payable' and ${within(day)} group by user_id having sum(amount_micro) > 0
        ) e left join users u on u.id = e.user_id order by e.user_id`,
  )
  return found.map(({ username, amount }) => ({
    day,
    transactionId: '',
    kind: 'traffic',
    reference: day,
    userName: username ?? '',
    debit: 'traffic_expense',
    credit: 'payable',
    amountMicro: BigInt(amount),
  }))
}

async function* postingsOf(db: Db, day: string): AsyncGenerator<readonly JournalEntry[]> {
  // Ids grow with time, except in transactions that overlap, so the ids of a day's lines are close together.
  const ends = await row<{ first: string | null; last: string | null }>(
    db,
    sql`select min(id)::text as first, max(id)::text as last from ledger_lines where kind <> 'traffic' and ${within(day)}`,
  )
  if (ends?.first == null || ends.last === null) return
  const pairing = new Pairing(day)
  let after = BigInt(ends.first) - 1n
  for (;;) {
    // By id alone: with the time as a condition PostgreSQL would look through the whole day for each page.
    const page = await rows<JournalLineRow & { readonly is_of_day: boolean }>(
      db,
      sql`select l.id, l.transaction_id, l.account, l.amount_micro, l.kind, l.reference, u.username,
            l.kind <> 'traffic' and ${within(day)} as is_of_day
          from (
            select * from ledger_lines where id > ${after} and id <= ${ends.last}::bigint order by id limit ${linesPerPage}
          ) l left join users u on u.id = l.user_id order by l.id`,
    )
    yield page.filter((line) => line.is_of_day).flatMap((line) => pairing.take(line))
    const last = page.at(-1)
    if (last === undefined || page.length < linesPerPage) break
    after = BigInt(last.id)
  }
  pairing.end()
}

interface OpenLine {
  readonly line: JournalLineRow
  leftMicro: bigint
}

/** Pairs debits with credits of the same transaction, in the order in which they were posted. */
class Pairing {
  readonly #day: string
  readonly #open = new Map<string, OpenLine[]>()

  constructor(day: string) {
    this.#day = day
  }

  take(line: JournalLineRow): JournalEntry[] {
    const entries: JournalEntry[] = []
    const waiting = this.#open.get(line.transaction_id) ?? []
    let leftMicro = BigInt(line.amount_micro)
    let [first] = waiting
    while (first !== undefined && leftMicro !== 0n && leftMicro < 0n !== first.leftMicro < 0n) {
      const amountMicro = smaller(absolute(leftMicro), absolute(first.leftMicro))
      const [debit, credit] = leftMicro < 0n ? [line, first.line] : [first.line, line]
      entries.push(this.#entry(debit, credit, amountMicro))
      const moved = leftMicro < 0n ? amountMicro : -amountMicro
      leftMicro += moved
      first.leftMicro -= moved
      if (first.leftMicro === 0n) waiting.shift()
      first = waiting[0]
    }
    if (leftMicro !== 0n) waiting.push({ line, leftMicro })
    if (waiting.length > 0) this.#open.set(line.transaction_id, waiting)
    else this.#open.delete(line.transaction_id)
    return entries
  }

  /** Throws when a debit found no credit: the database refuses such a transaction. */
  end(): void {
    const [id] = this.#open.keys()
    if (id !== undefined) throw new Error(`Ledger transaction ${id} does not balance within ${this.#day}`)
  }

  #entry(debit: JournalLineRow, credit: JournalLineRow, amountMicro: bigint): JournalEntry {
    // A line of a client says more than the platform's.
    const named = debit.username === null ? credit : debit
    return {
      day: this.#day,
      transactionId: named.transaction_id,
      kind: named.kind,
      reference: named.reference ?? '',
      userName: named.username ?? '',
      debit: debit.account,
      credit: credit.account,
      amountMicro,
    }
  }
}

const absolute = (value: bigint) => (value < 0n ? -value : value)
const smaller = (a: bigint, b: bigint) => (a < b ? a : b)

/** The accounts that entries of these days name. */
export async function accountsPosted(db: Db, from: string, to: string): Promise<LedgerAccount[]> {
  const span = sql`at >= (${from}::date)::timestamp at time zone 'UTC'
    and at < (${to}::date + 1)::timestamp at time zone 'UTC'`
  const found = await rows<{ account: LedgerAccount }>(
    db,
    sql`select distinct account from ledger_lines where ${span}
        union
        select unnest(array['payable', 'traffic_expense'])
        where exists (select from ledger_batches where ${span})`,
  )
  return found.map(({ account }) => account)
}
