// SQL on how the journal is exported and on the rates of the day.
import { sql } from 'kysely'
import { ledgerAccounts, type LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import type { BookSetup } from '@tollgate/contract/books/journal.ts'
import { row, rows, type Db } from '../platform/db.ts'

interface SetupRow {
  readonly currency: string
  readonly fiscal_month: number
  readonly datev_consultant: number | null
  readonly datev_client: number | null
  readonly datev_digits: number
  readonly xero_tax_rate: string
  readonly updated_by: string
  readonly updated_at: Date | null
}

const unsaved: SetupRow = {
  currency: 'USDT',
  fiscal_month: 1,
  datev_consultant: null,
  datev_client: null,
  datev_digits: 4,
  xero_tax_rate: 'Tax Exempt',
  updated_by: '',
  updated_at: null,
}

/** As it was saved, or what holds before: USDT, the calendar year, and no account with a number. */
export async function readSetup(db: Db): Promise<BookSetup> {
  const saved = await row<SetupRow>(
    db,
    sql`select s.*, u.username as updated_by from book_setup s join users u on u.id = s.updated_by`,
  )
  const numbered = await rows<{ account: LedgerAccount; code: string }>(
    db,
    sql`select account, code from book_accounts`,
  )
  const codes = new Map(numbered.map(({ account, code }) => [account, code]))
  const setup = saved ?? unsaved
  return {
    currency: setup.currency,
    fiscalMonth: setup.fiscal_month,
    datevConsultant: setup.datev_consultant,
    datevClient: setup.datev_client,
    datevDigits: setup.datev_digits,
    xeroTaxRate: setup.xero_tax_rate,
    accounts: ledgerAccounts.map((account) => ({ account, code: codes.get(account) ?? '' })),
    updatedBy: setup.updated_by,
    updatedAt: setup.updated_at?.toISOString() ?? null,
  }
}

/** What a person may change. */
export type SetupInput = Omit<BookSetup, 'updatedBy' | 'updatedAt'>

/** Accounts that `setup` does not name lose their number. */
export async function writeSetup(tx: Db, setup: SetupInput, by: number, at: Date): Promise<void> {
  const { currency, fiscalMonth, datevConsultant, datevClient, datevDigits, xeroTaxRate } = setup
  await sql`insert into book_setup (currency, fiscal_month, datev_consultant, datev_client, datev_digits, xero_tax_rate,
      updated_by, updated_at)
    values (${currency}, ${fiscalMonth}, ${datevConsultant}, ${datevClient}, ${datevDigits}, ${xeroTaxRate}, ${by}, ${at})
    on conflict (only_row) do update set currency = excluded.currency, fiscal_month = excluded.fiscal_month,
      datev_consultant = excluded.datev_consultant, datev_client = excluded.datev_client,
      datev_digits = excluded.datev_digits, xero_tax_rate = excluded.xero_tax_rate, updated_by = excluded.updated_by,
      updated_at = excluded.updated_at`.execute(tx)
  const named = new Map(setup.accounts.map(({ account, code }) => [account, code]))
  const codes = [...named].filter(([, code]) => code !== '')
  await sql`delete from book_accounts`.execute(tx)
  await sql`insert into book_accounts (account, code)
    select * from unnest(${codes.map(([account]) => account)}::text[], ${codes.map(([, code]) => code)}::text[])`.execute(
    tx,
  )
}

export interface StoredRate {
  readonly day: string
  readonly rate_e8: string
  readonly entered_by: string
  readonly entered_at: Date
}

/** The rates of a currency, those of one page. `after` is the day of the last one shown. */
export function listRates(
  db: Db,
  currency: string,
  {
    order,
    limit,
    after,
  }: { readonly order: 'asc' | 'desc'; readonly limit: number; readonly after: string | undefined },
): Promise<StoredRate[]> {
  const [beyond, direction] = [sql.raw(order === 'asc' ? '>' : '<'), sql.raw(order)]
  return rows<StoredRate>(
    db,
    sql`select r.day::text as day, r.rate_e8, r.entered_at, u.username as entered_by
        from day_rates r join users u on u.id = r.entered_by
        where r.currency = ${currency} and (${after ?? null}::date is null or r.day ${beyond} ${after ?? null}::date)
        order by r.day ${direction} limit ${limit}`,
  )
}

/** Each day's rate from `from` to `to`, in hundred-millionths; days without one are left out. */
export async function ratesOf(
  db: Db,
  currency: string,
  from: string,
  to: string,
): Promise<Map<string, bigint>> {
  const found = await rows<{ day: string; rate_e8: string }>(
    db,
    sql`select day::text as day, rate_e8 from day_rates
        where currency = ${currency} and day between ${from}::date and ${to}::date`,
  )
  return new Map(found.map(({ day, rate_e8 }) => [day, BigInt(rate_e8)]))
}

/** Writes rates over those that stand for the same days. */
export async function writeRates(
  tx: Db,
  currency: string,
  rates: readonly { readonly day: string; readonly rateE8: bigint }[],
  by: number,
  at: Date,
): Promise<void> {
  await sql`insert into day_rates (currency, day, rate_e8, entered_by, entered_at)
    select ${currency}, day, rate_e8, ${by}::int, ${at}::timestamptz
    from unnest(${rates.map(({ day }) => day)}::date[], ${rates.map(({ rateE8 }) => rateE8)}::bigint[]) r (day, rate_e8)
    on conflict (currency, day) do update set rate_e8 = excluded.rate_e8, entered_by = excluded.entered_by,
      entered_at = excluded.entered_at`.execute(tx)
}
