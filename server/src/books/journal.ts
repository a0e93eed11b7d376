// The export of the journal: every entry of the ledger with the accountant's numbers, in the currency of the books.
import { Readable } from 'node:stream'
import { Refusal } from '@tollgate/contract/errors.ts'
import { journalDaysMax, type BookSetup, type JournalProblems } from '@tollgate/contract/books/journal.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import { ledgerAccounts, type JournalForm, type LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { accountsByDay, readJournal } from '../ledger/index.ts'
import { csvLine, type CsvColumn } from '../files/formats/csv.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { BookAmounts, formatHundredths, formatDayRate, isPosted, type BookedEntry } from './book-amounts.ts'
import { datevEntriesMax, datevHead, datevLines } from './datev.ts'
import { ratesOf, readSetup } from './setup-store.ts'
import { toWindows1252 } from './windows1252.ts'
import { xeroFile } from './xero.ts'

interface Days {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000
const usdtE8 = 100_000_000n
const missingMax = 31

const unprocessable = (message: Words) => new Refusal('unprocessable', message)

/** Every day of a span. Throws Refusal invalid for a span that is backwards or too long. */
function daysOf({ from, to }: Days): string[] {
  const [first, last] = [from, to].map((day) => Date.parse(`${day}T00:00:00Z`))
  const count = ((last ?? 0) - (first ?? 0)) / dayMs + 1
  if (count < 1 || count > journalDaysMax) {
    const message =
      count < 1
        ? 'The last day is before the first.'
        : sentence('At most {count} days at once.', { count: journalDaysMax })
    throw new Refusal('invalid', message, { fields: { to: message } })
  }
  return Array.from({ length: count }, (_, index) =>
    new Date((first ?? 0) + index * dayMs).toISOString().slice(0, 10),
  )
}

/** What is missing for the export of these days. */
export async function checkJournal(db: Db, days: Days): Promise<JournalProblems> {
  daysOf(days)
  const setup = await readSetup(db)
  const used = await accountsByDay(db, days.from, days.to)
  const accounts = new Set(used.flatMap((each) => each.accounts))
  const codes = codesOf(setup)
  const rates = await ratesOf(db, setup.currency, days.from, days.to)
  const without = setup.currency === 'USDT' ? [] : used.filter(({ day }) => !rates.has(day))
  return {
    unmapped: ledgerAccounts.filter((account) => accounts.has(account) && !codes.has(account)),
    daysWithoutRate: without.slice(0, missingMax).map(({ day }) => day),
    dayWithoutRateCount: without.length,
  }
}

const codesOf = (setup: BookSetup) =>
  new Map(setup.accounts.filter(({ code }) => code !== '').map(({ account, code }) => [account, code]))

/** Throws Refusal unprocessable that names what is missing. */
async function refuseIncomplete(db: Db, days: Days, currency: string): Promise<void> {
  const { unmapped, daysWithoutRate, dayWithoutRateCount } = await checkJournal(db, days)
  if (unmapped.length > 0)
    throw unprocessable(
      sentence('Give these accounts a number under Books, Journal first: {accounts}.', {
        accounts: unmapped.join(', '),
      }),
    )
  if (dayWithoutRateCount === 0) return
  const rest = dayWithoutRateCount - daysWithoutRate.length
  const values = { currency, days: daysWithoutRate.join(', ') }
  throw unprocessable(
    rest === 0
      ? sentence(
          'There is no rate of USDT in {currency} for {days}. Enter or import it under Books, Journal.',
          values,
        )
      : sentence(
          'There is no rate of USDT in {currency} for {days} and {rest} more days. Enter or import it under Books, Journal.',
          { ...values, rest },
        ),
  )
}

/** The file. Throws Refusal unprocessable when accounts or rates are missing, or the form cannot hold these days. */
export async function exportJournal(
  db: Db,
  { form, ...days }: Days & { readonly form: JournalForm },
  now: Date,
): Promise<StreamReply> {
  const all = daysOf(days)
  const setup = await readSetup(db)
  await refuseIncomplete(db, days, setup.currency)
  const rates = await ratesOf(db, setup.currency, days.from, days.to)
  const entries = () => booked(db, all, setup, rates)
  const name = `${days.from}-${days.to}.csv`
  if (form === 'datev')
    return {
      contentType: 'text/csv; charset=windows-1252',
      fileName: `EXTF_${name}`,
      stream: await datevFile(entries, setup, days, now),
    }
  return {
    contentType: 'text/csv; charset=utf-8',
    fileName: form === 'xero' ? `xero-journal-${name}` : `journal-${name}`,
    stream: form === 'xero' ? Readable.from(await xeroFile(entries(), setup)) : csvFile(entries(), setup),
  }
}

async function* booked(
  db: Db,
  days: readonly string[],
  setup: BookSetup,
  rates: ReadonlyMap<string, bigint>,
): AsyncGenerator<readonly BookedEntry[]> {
  const amounts = new BookAmounts()
  const codes = codesOf(setup)
  const codeOf = (account: LedgerAccount) => {
    const code = codes.get(account)
    // An entry that was posted since the check.
    if (code === undefined) throw unprocessable(sentence('The account {account} has no number.', { account }))
    return code
  }
  for await (const page of readJournal(db, days))
    yield page.map((entry): BookedEntry => {
      const rateE8 = setup.currency === 'USDT' ? usdtE8 : rates.get(entry.day)
      if (rateE8 === undefined)
        throw unprocessable(sentence('There is no rate for {day}.', { day: { day: entry.day } }))
      const hundredths = amounts.convert(`${entry.debit} ${entry.credit}`, entry.amountMicro, rateE8)
      return {
        ...entry,
        debitCode: codeOf(entry.debit),
        creditCode: codeOf(entry.credit),
        rateE8,
        hundredths,
      }
    })
}

type Entries = AsyncIterable<readonly BookedEntry[]>

async function* csvFile(entries: Entries, { currency }: BookSetup): AsyncGenerator<string> {
  const columns = currency === 'USDT' ? csvColumns : [...csvColumns, ...bookColumns(currency)]
  let head = csvLine(columns.map(([name]) => name))
  for await (const page of entries) {
    yield head + page.map((entry) => csvLine(columns.map(([, cell]) => cell(entry)))).join('')
    head = ''
  }
}

const csvColumns: readonly CsvColumn<BookedEntry>[] = [
  ['Date', ({ day }) => day],
  ['Transaction', ({ transactionId }) => transactionId],
  ['Kind', ({ kind }) => kind],
  ['Reference', ({ reference }) => reference],
  ['User', ({ userName }) => userName],
  ['Debit Account', ({ debit }) => debit],
  ['Debit Number', ({ debitCode }) => debitCode],
  ['Credit Account', ({ credit }) => credit],
  ['Credit Number', ({ creditCode }) => creditCode],
  ['Amount (USDT)', ({ amountMicro }) => formatMicro(amountMicro, 2)],
]

const bookColumns = (currency: string): readonly CsvColumn<BookedEntry>[] => [
  ['Rate', ({ rateE8 }) => formatDayRate(rateE8)],
  [`Amount (${currency})`, ({ hundredths }) => formatHundredths(hundredths)],
]

/** Throws Refusal unprocessable where DATEV would refuse the batch. */
async function datevFile(
  entries: () => Entries,
  setup: BookSetup,
  days: Days,
  now: Date,
): Promise<AsyncGenerator<Buffer>> {
  const { currency, datevConsultant: consultant, datevClient: client, datevDigits: digits } = setup
  if (currency === 'USDT')
    throw unprocessable('DATEV knows no USDT. Choose the currency of the books, such as EUR.')
  if (consultant === null || client === null)
    throw unprocessable('Enter the numbers of the consultant and of the client for DATEV first.')
  const wrong = [...codesOf(setup)].filter(([, code]) => !/^\d+$/.test(code) || code.length > digits + 1)
  if (wrong.length > 0)
    throw unprocessable(
      sentence(
        'DATEV takes numbers of at most {digits} digits, and one more for personal accounts: {accounts}.',
        { digits, accounts: wrong.map(([account, code]) => `${account} ${code}`).join(', ') },
      ),
    )
  const fiscalStart = fiscalStartOf(days.from, setup.fiscalMonth)
  if (fiscalStartOf(days.to, setup.fiscalMonth) !== fiscalStart)
    throw unprocessable('DATEV takes the days of one fiscal year at once. Choose days of one year.')
  let count = 0
  for await (const page of entries()) {
    count += page.length
    if (count > datevEntriesMax)
      throw unprocessable(
        sentence('DATEV takes at most {count} entries at once. Choose fewer days.', {
          count: datevEntriesMax,
        }),
      )
  }
  const head = datevHead({ consultant, client, fiscalStart, ...days, digits, currency, madeAt: now })
  return encode(datevParts(head, entries(), currency))
}

async function* datevParts(head: string, entries: Entries, currency: string): AsyncGenerator<string> {
  yield head
  for await (const page of entries) {
    const lines = page
      .filter(isPosted)
      .map(({ day, kind, reference, userName, transactionId, amountMicro, ...entry }) =>
        datevLines(
          {
            day,
            debit: entry.debitCode,
            credit: entry.creditCode,
            hundredths: entry.hundredths,
            document: kind === 'traffic' ? reference : `T${transactionId}`,
            words: [kind, reference, userName].filter((part) => part !== '').join(' '),
            usdt: formatMicro(amountMicro, 2),
          },
          currency,
        ),
      )
    if (lines.length > 0) yield lines.join('')
  }
}

async function* encode(parts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  for await (const part of parts) yield toWindows1252(part)
}

/** The first day of the fiscal year that a day is in. */
function fiscalStartOf(day: string, month: number): string {
  const [year, own] = [Number(day.slice(0, 4)), Number(day.slice(5, 7))]
  return `${String(own >= month ? year : year - 1).padStart(4, '0')}-${String(month).padStart(2, '0')}-01`
}
