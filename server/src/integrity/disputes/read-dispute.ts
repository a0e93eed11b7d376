// Reads a carrier's file of what it does not pay for, line by line, and collects the faults.
import { disputeLinesMax } from '@tollgate/contract/integrity/disputes.ts'
import { normaliseNumber, readNumber } from '@tollgate/contract/fields.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { plainFigures } from '@tollgate/contract/plain-text.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { readNamedLines, type NamedLine } from '../../files/tables/named-lines.ts'
import type { TableCaller, TableReader, TableSource } from '../../files/tables/table-reader.ts'
import { readSpan } from './read-span.ts'

export interface NewDisputeLine {
  readonly line: number
  readonly number: string
  readonly sender: string
  readonly from: Date
  readonly until: Date
  readonly count: number | null
  readonly amountMicro: bigint | null
}

interface DisputeFault {
  readonly line: number
  readonly number: string
  readonly fault: Words
}

export interface DisputeFile {
  readonly lineCount: number
  readonly lines: readonly NewDisputeLine[]
  readonly faults: readonly DisputeFault[]
}

const names = ['number', 'from', 'to', 'sender', 'count', 'amount'] as const
type Column = (typeof names)[number]

const columns = {
  names,
  optional: ['to', 'sender', 'count', 'amount'],
  // As carriers name them.
  otherNames: {
    number: [
      'bnumber',
      'destination',
      'destinationnumber',
      'premiumnumber',
      'called',
      'callednumber',
      'dnis',
      'shortcode',
      'msisdn',
    ],
    from: [
      'start',
      'starttime',
      'begin',
      'since',
      'date',
      'day',
      'time',
      'timestamp',
      'datetime',
      'datefrom',
    ],
    to: ['end', 'endtime', 'until', 'till', 'dateto', 'stop'],
    sender: ['anumber', 'ani', 'cli', 'source', 'originator', 'calling', 'callingnumber', 'origin'],
    count: [
      'messages',
      'sms',
      'smscount',
      'quantity',
      'qty',
      'volume',
      'calls',
      'number of messages',
      'units',
    ],
    amount: ['value', 'sum', 'charge', 'cost', 'total', 'price', 'revenue'],
  },
} as const

/** Throws Refusal for a file that cannot be read or has too many lines. */
export async function readDispute(
  tables: TableReader,
  source: TableSource,
  caller: TableCaller,
): Promise<DisputeFile> {
  const lines: NewDisputeLine[] = []
  const faults: DisputeFault[] = []
  let lineCount = 0
  for await (const portion of readNamedLines(tables, source, columns, caller)) {
    lineCount += portion.length
    if (lineCount > disputeLinesMax)
      throw new Refusal(
        'unprocessable',
        sentence('At most {count} lines at once. Split the file and import the parts.', {
          count: disputeLinesMax,
        }),
      )
    for (const each of portion) {
      const found = lineOf(each)
      if ('fault' in found)
        faults.push({ line: each.line, number: each.cells.number.slice(0, 40), fault: found.fault })
      else lines.push(found)
    }
  }
  return { lineCount, lines, faults }
}

function lineOf({ line, cells, fault }: NamedLine<Column>): NewDisputeLine | { readonly fault: Words } {
  if (fault !== undefined) return { fault }
  const number = readNumber(cells.number)
  if (number === undefined) return { fault: spoken('Its number is no telephone number') }
  const span = readSpan(cells.from, cells.to)
  if (span === undefined)
    return {
      fault: spoken('Its time is not of the form yyyy-mm-dd or yyyy-mm-dd hh:mm, or ends before it begins'),
    }
  const count = cells.count === '' ? null : Number(plainFigures(cells.count))
  if (count !== null && !(Number.isSafeInteger(count) && count >= 0 && count <= 1_000_000_000))
    return { fault: spoken('Its count is not a whole number') }
  const amountMicro = cells.amount === '' ? null : parseMicro(plainFigures(cells.amount))
  if (amountMicro === undefined) return { fault: spoken('Its amount is not a decimal such as 12.50') }
  return { line, number, sender: senderOf(cells.sender), ...span, count, amountMicro }
}

/** As it is stored: digits without a plus, or a name. */
function senderOf(text: string): string {
  const digits = normaliseNumber(text)
  return /^\d+$/.test(digits) ? digits : text.slice(0, 20)
}
