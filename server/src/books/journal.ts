// The export of the journal: every entry of the ledger with the accountant's numbers.
import { Refusal } from '@tollgate/contract/errors.ts'
import { journalDaysMax, type JournalProblems } from '@tollgate/contract/books/journal.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence, type Words } from '@tollgate/contract/sentences.ts'
import { ledgerAccounts, type LedgerAccount } from '@tollgate/contract/vocabulary.ts'
import { accountsPosted, readJournal, type JournalEntry } from '../ledger/index.ts'
import { csvReply, type CsvColumn } from '../files/formats/csv.ts'
import type { Db } from '../platform/db.ts'
import type { StreamReply } from '../http/handlers.ts'
import { readSetup } from './setup.ts'

interface Days {
  readonly from: string
  readonly to: string
}

const dayMs = 86_400_000

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

type Codes = ReadonlyMap<LedgerAccount, string>

async function readCodes(db: Db): Promise<Codes> {
  const { accounts } = await readSetup(db)
  return new Map(accounts.filter(({ code }) => code !== '').map(({ account, code }) => [account, code]))
}

async function accountsWithoutNumber(db: Db, { from, to }: Days, codes: Codes): Promise<LedgerAccount[]> {
  const posted = new Set(await accountsPosted(db, from, to))
  return ledgerAccounts.filter((account) => posted.has(account) && !codes.has(account))
}

/** What is missing for the export of these days. */
export async function checkJournal(db: Db, days: Days): Promise<JournalProblems> {
  daysOf(days)
  return { unmapped: await accountsWithoutNumber(db, days, await readCodes(db)) }
}

/** The file. Throws Refusal unprocessable that names the accounts without a number. */
export async function exportJournal(db: Db, days: Days): Promise<StreamReply> {
  const all = daysOf(days)
  const codes = await readCodes(db)
  const unmapped = await accountsWithoutNumber(db, days, codes)
  if (unmapped.length > 0)
    throw unprocessable(
      sentence('Give these accounts a number under Books, Journal first: {accounts}.', {
        accounts: unmapped.join(', '),
      }),
    )
  const columns = columnsOf(codes)
  async function* pages() {
    for await (const page of readJournal(db, all))
      yield page.map((entry) => columns.map(([, cell]) => cell(entry)))
  }
  return csvReply(
    `journal-${days.from}-${days.to}.csv`,
    columns.map(([name]) => name),
    pages(),
  )
}

function columnsOf(codes: Codes): readonly CsvColumn<JournalEntry>[] {
  const codeOf = (account: LedgerAccount) => {
    const code = codes.get(account)
    // An entry that was posted since the check.
    if (code === undefined) throw unprocessable(sentence('The account {account} has no number.', { account }))
    return code
  }
  return [
    ['Date', ({ day }) => day],
    ['Transaction', ({ transactionId }) => transactionId],
    ['Kind', ({ kind }) => kind],
    ['Reference', ({ reference }) => reference],
    ['User', ({ userName }) => userName],
    ['Debit Account', ({ debit }) => debit],
    ['Debit Number', ({ debit }) => codeOf(debit)],
    ['Credit Account', ({ credit }) => credit],
    ['Credit Number', ({ credit }) => codeOf(credit)],
    ['Amount (USDT)', ({ amountMicro }) => formatMicro(amountMicro, 2)],
  ]
}
