// Reads a carrier's file of counts. Lines of the same day, number and status are added up.
import { countLinesMax } from '@tollgate/contract/integrity/carrier-counts.ts'
import { daySchema, readNumber } from '@tollgate/contract/fields.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { plainFigures } from '@tollgate/contract/plain-text.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { readNamedLines, type NamedLine } from '../../files/tables/named-lines.ts'
import type { TableCaller, TableReader, TableSource } from '../../files/tables/table-reader.ts'

type Status = (typeof recordStatuses)[number]

interface TheirCount {
  readonly day: string
  /** Empty for all numbers. */
  readonly number: string
  readonly status: Status | null
  readonly count: number
}

export interface CountFile {
  readonly lineCount: number
  readonly counts: readonly TheirCount[]
  readonly faults: readonly { readonly line: number; readonly number: string; readonly fault: Words }[]
}

const names = ['day', 'number', 'status', 'count'] as const

const columns = {
  names,
  optional: ['number', 'status'],
  // As carriers name them.
  otherNames: {
    day: ['date', 'traffic date', 'period', 'from'],
    number: [
      'bnumber',
      'destination',
      'premiumnumber',
      'called',
      'callednumber',
      'dnis',
      'shortcode',
      'msisdn',
    ],
    status: ['state', 'result'],
    count: ['messages', 'sms', 'smscount', 'quantity', 'qty', 'volume', 'total', 'units'],
  },
} as const

/** Throws Refusal for a file that cannot be read or has too many lines. */
export async function readCounts(
  tables: TableReader,
  source: TableSource,
  caller: TableCaller,
): Promise<CountFile> {
  const counts = new Map<string, TheirCount>()
  const faults: CountFile['faults'][number][] = []
  let lineCount = 0
  for await (const portion of readNamedLines(tables, source, columns, caller)) {
    lineCount += portion.length
    if (lineCount > countLinesMax)
      throw new Refusal(
        'unprocessable',
        sentence('At most {count} lines at once. Split the file and import the parts.', {
          count: countLinesMax,
        }),
      )
    for (const each of portion) {
      const found = countOf(each)
      if ('fault' in found) {
        faults.push({ line: each.line, number: each.cells.number.slice(0, 40), fault: found.fault })
        continue
      }
      const key = `${found.day} ${found.number} ${found.status ?? ''}`
      counts.set(key, { ...found, count: found.count + (counts.get(key)?.count ?? 0) })
    }
  }
  return { lineCount, counts: [...counts.values()], faults }
}

function countOf({
  cells,
  fault,
}: NamedLine<(typeof names)[number]>): TheirCount | { readonly fault: Words } {
  if (fault !== undefined) return { fault }
  const day = daySchema.safeParse(cells.day.slice(0, 10))
  if (!day.success) return { fault: spoken('Its day is not of the form yyyy-mm-dd') }
  const number = cells.number === '' ? '' : readNumber(cells.number)
  if (number === undefined) return { fault: spoken('Its number is no telephone number') }
  const status = recordStatuses.find((each) => each === cells.status.toLowerCase()) ?? null
  if (status === null && cells.status !== '')
    return {
      fault: sentence('Its status is none of these: {statuses}', { statuses: recordStatuses.join(', ') }),
    }
  if (number !== '' && status !== null)
    return {
      fault: spoken('It names a number and a status. Counts are kept by number or by status: leave one out'),
    }
  const count = Number(plainFigures(cells.count))
  if (cells.count === '' || !(Number.isSafeInteger(count) && count >= 0 && count <= 1_000_000_000))
    return { fault: spoken('Its count is not a whole number') }
  return { day: day.data, number, status, count }
}
