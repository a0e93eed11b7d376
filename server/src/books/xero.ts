// Manual journals as Xero imports them: one journal a day, positive amounts are debits. Xero takes 300 lines in a file, so
// the entries of a day between two accounts are one amount. Source: help.xero.com, Import manual journals.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { BookSetup } from '@tollgate/contract/books/journal.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { csvLine } from '../files/formats/csv.ts'
import { formatHundredths, isPosted, type BookedEntry } from './book-amounts.ts'

const linesMax = 300

interface DaySum {
  readonly entry: BookedEntry
  hundredths: bigint
  micro: bigint
}

/** Throws Refusal unprocessable when it would be more than Xero takes. */
export async function xeroFile(
  entries: AsyncIterable<readonly BookedEntry[]>,
  { xeroTaxRate }: BookSetup,
): Promise<readonly string[]> {
  const sums = new Map<string, DaySum>()
  for await (const page of entries)
    for (const entry of page.filter(isPosted)) {
      const key = `${entry.day} ${entry.debit} ${entry.credit}`
      const sum = sums.get(key) ?? { entry, hundredths: 0n, micro: 0n }
      sum.hundredths += entry.hundredths
      sum.micro += entry.amountMicro
      sums.set(key, sum)
    }
  if (2 * sums.size > linesMax)
    throw new Refusal(
      'unprocessable',
      sentence('Xero takes at most {count} lines at once. Choose fewer days.', { count: linesMax }),
    )
  const lines = [...sums.values()].flatMap(({ entry, hundredths, micro }) => {
    const [year, month, date] = entry.day.split('-')
    const line = (code: string, amount: bigint) =>
      csvLine([
        `Tollgate ${entry.day}`,
        `${date}/${month}/${year}`,
        `${entry.debit} to ${entry.credit}, ${formatMicro(micro, 2)} USDT`,
        code,
        xeroTaxRate,
        formatHundredths(amount),
        ...noTracking,
      ])
    return [line(entry.debitCode, hundredths), line(entry.creditCode, -hundredths)]
  })
  return [header, ...lines]
}

const header = csvLine(
  [
    '*Narration;*Date;Description;*AccountCode;*TaxRate;*Amount',
    'TrackingName1;TrackingOption1;TrackingName2;TrackingOption2',
  ].flatMap((names) => names.split(';')),
)
const noTracking = ['', '', '', '']
