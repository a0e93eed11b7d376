// SQL that issues invoices. Numbers are given and invoices written by one statement, so no number is lost or given twice.
import { sql, type RawBuilder } from 'kysely'
import type { InvoiceKind } from '@tollgate/contract/vocabulary.ts'
import { changed, type Db } from '../platform/db.ts'
import { numberDigits } from './number-format.ts'

/** The oldest closed cycle, of those that end on or after a day, that may lack invoices. */
export async function findWithoutInvoices(db: Db, from: string): Promise<number | undefined> {
  const found = await db
    .selectFrom('cycle_bills as b')
    .innerJoin('cycles as c', 'c.id', 'b.cycle_id')
    .select('cycle_id')
    .where('invoices_at', 'is', null)
    .where('itemised_at', 'is not', null)
    .where(
      'c.ends_at',
      '>=',
      sql<Date>`coalesce(nullif(${from}::text, '')::date, '-infinity'::date)::timestamp at time zone 'UTC'`,
    )
    .orderBy('cycle_id')
    .limit(1)
    .executeTakeFirst()
  return found?.cycle_id
}

/** False when the cycle has got its invoices. An account that is closed late waits for this transaction. */
export async function lockCycle(tx: Db, cycleId: number): Promise<boolean> {
  const found = await tx
    .selectFrom('cycle_bills')
    .select('cycle_id')
    .where('cycle_id', '=', cycleId)
    .where('invoices_at', 'is', null)
    .forUpdate()
    .executeTakeFirst()
  return found !== undefined
}

/** The words of invoices, stored once. */
export async function wordingOf(tx: Db, words: readonly string[]): Promise<number> {
  await tx
    .insertInto('invoice_wordings')
    .values({ words })
    .onConflict((oc) => oc.doNothing())
    .execute()
  const found = await tx
    .selectFrom('invoice_wordings')
    .select('id')
    .where('words', '=', sql<string[]>`${words}::text[]`)
    .executeTakeFirst()
  if (found === undefined) throw new Error('The wording did not come back')
  return found.id
}

/** What all invoices of one batch have in common. */
export interface InvoiceBatch {
  readonly at: Date
  readonly year: number
  /** What stands before the digits of each number. */
  readonly prefix: string
  readonly company: { readonly id: number; readonly country: string }
  /** For suppliers of the own company's country, and of all others. */
  readonly wordings: { readonly domestic: number; readonly crossBorder: number }
  readonly limit: number
}

// The newest legal entity of whom the row `d` is about.
const supplier = sql`cross join lateral (
  select id as supplier_id, country from legal_entities e where e.user_id = d.user_id order by e.id desc limit 1
) supplier`

/** Writes invoices for bills and payouts of a cycle that have none. Returns how many; fewer than the limit: these were all. */
export function insertInvoices(tx: Db, cycleId: number, batch: InvoiceBatch): Promise<number> {
  return insertNumbered(
    tx,
    'invoice',
    batch,
    sql`select d.about, ${cycleId}::int as cycle_id, d.user_id, null::bigint as amendment_id, null::bigint as corrects_id,
          d.amount_micro, supplier.*
        from (
          -- A bill that was void before it had an invoice is in a later bill, but for what was set off: so it gets its
          -- invoice then, and the credit note of what was due.
          select 'bill' as about, user_id, total_micro as amount_micro from billing_periods
            where cycle_id = ${cycleId} and (status <> 'void' or set_off_micro > 0)
          union all
          select 'payouts', user_id, sum(amount_micro)::bigint from payouts where cycle_id = ${cycleId} group by user_id
        ) d ${supplier}
        where not exists (select from invoices p where p.kind = 'invoice' and p.cycle_id = ${cycleId}
              and p.user_id = d.user_id and p.about = d.about)
          and not exists (select from unclosed_accounts n where n.cycle_id = ${cycleId} and n.user_id = d.user_id)
        order by d.user_id, d.about limit ${batch.limit}`,
  )
}

/** Writes credit notes for what was taken off bills that have an invoice. Returns how many. */
export function insertCreditNotes(tx: Db, batch: InvoiceBatch): Promise<number> {
  return insertNumbered(
    tx,
    'credit_note',
    batch,
    sql`select 'bill' as about, d.cycle_id, d.user_id, d.id as amendment_id, i.id as corrects_id, d.amount_micro, supplier.*
        from bill_amendments d join invoices i
          on i.kind = 'invoice' and i.about = 'bill' and i.cycle_id = d.cycle_id and i.user_id = d.user_id
        ${supplier}
        where d.status = 'done' and d.kind in ('credit_note', 'void')
          and not exists (select from invoices p where p.amendment_id = d.id)
        order by d.id limit ${batch.limit}`,
  )
}

/** The caller has the lock `invoiceNumbers`. */
function insertNumbered(
  tx: Db,
  kind: InvoiceKind,
  { at, year, prefix, company, wordings }: InvoiceBatch,
  ready: RawBuilder<unknown>,
): Promise<number> {
  return changed(
    tx,
    sql`with ready as materialized (select r.*, row_number() over (order by amendment_id, user_id, about) as place from (${ready}) r),
        numbered as (
          select r.*, (r.place + coalesce((
            select max(sequence) from invoices where kind = ${kind} and year = ${year}::int), 0))::int as sequence
          from ready r
        )
        insert into invoices (kind, year, sequence, number, about, cycle_id, user_id, amendment_id, corrects_id, amount_micro,
          supplier_id, customer_id, wording_id, issued_at)
        select ${kind}, ${year}::int, sequence,
          ${prefix}::text || lpad(sequence::text, greatest(${numberDigits}::int, length(sequence::text)), '0'),
          about, cycle_id, user_id, amendment_id, corrects_id, amount_micro, supplier_id, ${company.id}::int,
          case country when ${company.country} then ${wordings.domestic}::int else ${wordings.crossBorder}::int end,
          ${at}::timestamptz
        from numbered order by sequence`,
  )
}

/** Whether invoices of another kind have numbers that begin with these letters. */
export async function hasNumbersOfOther(tx: Db, kind: InvoiceKind, letters: string): Promise<boolean> {
  const found = await tx
    .selectFrom('invoices')
    .select('kind')
    .where('kind', '<>', kind)
    .where(sql<boolean>`number ~ ${`^${letters}[^A-Za-z]`}`)
    .limit(1)
    .executeTakeFirst()
  return found !== undefined
}
