// Rates of the day: entered one by one, or imported as a CSV with the columns day and rate.
import { Refusal } from '@tollgate/contract/errors.ts'
import { dayRateInputSchema as rateSchema, type DayRate } from '@tollgate/contract/books/journal.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import type { Db } from '../platform/db.ts'
import type { Caller, PageReply } from '../http/handlers.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import { tableBounds } from '../files/tables/bounds.ts'
import { placesOf } from '../files/tables/columns.ts'
import { readCsvRows } from '../files/tables/read-rows.ts'
import type { TableCaller, TableReader } from '../files/tables/table-reader.ts'
import { transaction } from '../platform/transaction.ts'
import type { BillingDeps } from '../billing/index.ts'
import { formatDayRate, parseDayRate } from './book-amounts.ts'
import { listRates, readSetup, writeRates, type StoredRate } from './setup-store.ts'

// Ten years of days.
const ratesMax = 3_700
const bounds = { ...tableBounds, uploadBytes: 512 * 1024, lines: 2 * ratesMax, lineChars: 1_000 }

interface RateOfDay {
  readonly day: string
  readonly rateE8: bigint
}

const toReply = ({ day, rate_e8, entered_by, entered_at }: StoredRate): DayRate => ({
  day,
  rate: formatDayRate(BigInt(rate_e8)),
  enteredBy: entered_by,
  enteredAt: entered_at.toISOString(),
})

/** A page of the rates in the currency of the books. */
export async function pageOfRates(
  db: Db,
  { order, limit, cursor }: { order: 'asc' | 'desc'; limit: number; cursor?: string | undefined },
): Promise<PageReply<DayRate[]>> {
  const { currency } = await readSetup(db)
  const at = readCursor(cursor, ['time'])?.[0]
  const found = await listRates(db, currency, { order, limit: limit + 1, after: at?.slice(0, 10) })
  const cut = cutPage(found, limit, ({ day }) => [`${day}T00:00:00Z`])
  return { items: cut.rows.map(toReply), next: cut.next }
}

/** Throws Refusal wrong_state while the books are in USDT. */
async function bookCurrency(db: Db): Promise<string> {
  const { currency } = await readSetup(db)
  if (currency === 'USDT')
    throw new Refusal(
      'wrong_state',
      'The books are in USDT, which needs no rates. Choose their currency first.',
    )
  return currency
}

/** Saves rates over those of the same days. The audit log has what stood before. */
export async function saveRates(
  deps: BillingDeps,
  rates: readonly RateOfDay[],
  by: Caller,
): Promise<DayRate> {
  return transaction(deps.db, async (tx) => {
    const currency = await bookCurrency(tx)
    const days = rates.map(({ day }) => day).toSorted()
    const [first = '', last = ''] = [days[0], days.at(-1)]
    const before =
      first === last ? await listRates(tx, currency, { order: 'asc', limit: 1, after: dayBefore(first) }) : []
    await writeRates(tx, currency, rates, by.actor.userId, deps.clock.now())
    await deps.audit.record(tx, {
      actor: by.actor,
      ip: by.ip,
      action: 'books.rates',
      objectType: 'day_rates',
      objectId: currency,
      before: { rate: before.find(({ day }) => day === first)?.rate_e8 ?? '' },
      after: {
        from: first,
        to: last,
        count: rates.length,
        rate: first === last ? String(rates[0]?.rateE8) : '',
      },
    })
    const [saved] = await listRates(tx, currency, { order: 'asc', limit: 1, after: dayBefore(first) })
    if (saved === undefined) throw new Error('The rate did not come back')
    return toReply(saved)
  })
}

const dayBefore = (day: string) =>
  new Date(Date.parse(`${day}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)

const invalid = (message: Words) => new Refusal('invalid', message, { fields: { data: message } })

/** Throws Refusal as {@link TableReader.open} does, and invalid for a file without such columns or with a bad line. */
export async function readRateFile(
  tables: TableReader,
  content: Buffer,
  caller: TableCaller,
): Promise<RateOfDay[]> {
  const [head, ...lines] = await readCsvRows(tables, { content, bounds }, caller)
  const places = placesOf(head?.cells ?? [], ['day', 'rate'], { skipsOthers: true })
  if (lines.length === 0) throw invalid('There is no line below the header.')
  if (lines.length > ratesMax) throw invalid(sentence('At most {count} lines at once.', { count: ratesMax }))
  const rates = new Map<string, bigint>()
  for (const { line, cells } of lines) {
    const read = rateSchema.safeParse({ day: cells[places.day], rate: cells[places.rate] })
    if (!read.success) {
      const [issue] = read.error.issues
      const fault = { text: issue === undefined ? 'not understood' : issue.message }
      throw invalid(sentence('Line {line}: {fault}.', { line: String(line), fault }))
    }
    const { day, rate } = read.data
    if (rates.has(day))
      throw invalid(sentence('Line {line}: {day} is in this file twice.', { line: String(line), day }))
    rates.set(day, parseDayRate(rate))
  }
  return [...rates].map(([day, rateE8]) => ({ day, rateE8 }))
}
