// Invoices as lists and as one whole document.
import { sql, type RawBuilder } from 'kysely'
import type { Invoice, invoiceSorts } from '@tollgate/contract/invoices/invoices.ts'
import type { InvoiceKind } from '@tollgate/contract/vocabulary.ts'
import { row, type Db, type Row } from '../platform/db.ts'
import type { PageReply } from '../http/handlers.ts'
import { replyPage } from '../http/reply.ts'
import { containsPattern } from '../http/lists/search-pattern.ts'
import type { Sort, SortedPage } from '../http/lists/sorted-page.ts'

export interface InvoiceRow extends Row<'invoices'> {
  readonly username: string
  readonly corrects: string | null
  readonly corrects_issued_at: Date | null
  readonly supplier_name: string
  readonly supplier_tax_number: string
  readonly supplier_country: string
  readonly customer_name: string
  readonly words: readonly string[]
  readonly starts_at: Date
  readonly ends_at: Date
}

export interface InvoiceFilter {
  readonly userId?: number | undefined
  readonly kind?: InvoiceKind | undefined
  readonly search?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

const shown = sql`p.*, u.username, i.number as corrects, i.issued_at as corrects_issued_at, s.legal_name as supplier_name,
  s.tax_number as supplier_tax_number, s.country as supplier_country, h.legal_name as customer_name, w.words,
  c.starts_at, c.ends_at`
const source = sql`invoices p join users u on u.id = p.user_id join cycles c on c.id = p.cycle_id
  join legal_entities s on s.id = p.supplier_id join legal_entities h on h.id = p.customer_id
  join invoice_wordings w on w.id = p.wording_id left join invoices i on i.id = p.corrects_id`

const sorts: Record<(typeof invoiceSorts)[number], Sort> = {
  issuedAt: { expression: sql`p.issued_at`, kind: 'time' },
  amount: { expression: sql`p.amount_micro`, kind: 'id' },
  userName: { expression: sql`lower(u.username)`, kind: 'text' },
}

const dayStart = (day: string): RawBuilder<unknown> => sql`${day}::date::timestamp at time zone 'UTC'`

/** A page of invoices. */
export async function listInvoices(
  db: Db,
  { userId, kind, search = '', from, to }: InvoiceFilter,
  page: SortedPage<(typeof invoiceSorts)[number]>,
): Promise<PageReply<Invoice[]>> {
  const pattern = containsPattern(search)
  const conditions = [
    userId !== undefined && sql`p.user_id = ${userId}`,
    kind !== undefined && sql`p.kind = ${kind}`,
    search !== '' &&
      sql`(p.number ilike ${pattern} or u.username ilike ${pattern} or s.legal_name ilike ${pattern})`,
    from !== undefined && sql`p.issued_at >= ${dayStart(from)}`,
    to !== undefined && sql`p.issued_at < ${dayStart(to)} + interval '1 day'`,
  ]
  const columns = sql`p.id, p.kind, p.number, p.issued_at, p.user_id, u.username as user_name, p.about as subject,
    p.cycle_id || '-' || p.user_id as period_id, c.starts_at as period_start, c.ends_at as period_end, p.amount_micro,
    coalesce(i.number, '') as corrects, s.legal_name as supplier_name, s.tax_number as supplier_tax_number,
    s.country as supplier_country, h.legal_name as customer_name`
  return replyPage(db, { sort: sorts[page.sort], id: sql`p.id`, columns, source, conditions }, page)
}

export function findInvoice(db: Db, id: string): Promise<InvoiceRow | undefined> {
  return row(db, sql`select ${shown} from ${source} where p.id = ${id}::bigint`)
}

/** The credit note that an amendment became; undefined before it is issued. */
export function findCreditNote(db: Db, amendmentId: string): Promise<InvoiceRow | undefined> {
  return row(db, sql`select ${shown} from ${source} where p.amendment_id = ${amendmentId}::bigint`)
}

/** What a client's numbers with a price of their own earned in a cycle. */
export function payoutLines(db: Db, cycleId: number, userId: number) {
  return db
    .selectFrom('payouts as o')
    .innerJoin('numbers as n', 'n.id', 'o.number_id')
    .select(['n.number', 'o.sms_count', 'o.amount_micro'])
    .where('o.cycle_id', '=', cycleId)
    .where('o.user_id', '=', userId)
    .orderBy('n.number')
    .execute()
}
