// Reads a file of senders for the hot list, line by line, and collects the faults.
import { daySchema } from '@tollgate/contract/fields.ts'
import { reasonSchema } from '@tollgate/contract/billing/debts.ts'
import { readListedSender, type ListedSenderName } from '@tollgate/contract/integrity/listed-senders.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { readNamedLines, type NamedLine } from '../../files/tables/named-lines.ts'
import type { TableCaller, TableReader, TableSource } from '../../files/tables/table-reader.ts'

export interface NewListed extends ListedSenderName {
  readonly reason: string
  readonly untilDay: string | null
}

interface ListedFault {
  readonly line: number
  readonly sender: string
  readonly fault: Words
}

/** What a line has that does not say it itself. */
export interface ListedDefaults {
  readonly reason?: string | undefined
  readonly untilDay?: string | undefined
  /** The first day that an entry may last until. */
  readonly today: string
}

const names = ['sender', 'reason', 'until'] as const
type Column = (typeof names)[number]

const columns = {
  names,
  optional: ['reason', 'until'],
  // As carriers, fraud forums and switches name them.
  otherNames: {
    sender: [
      'block',
      'number',
      'msisdn',
      'anumber',
      'ani',
      'cli',
      'from',
      'source',
      'originator',
      'phone',
      'prefix',
    ],
    reason: ['note', 'notes', 'comment', 'why', 'description'],
    until: ['untilday', 'lastday', 'expires', 'expiry', 'expireson', 'validto', 'validuntil'],
  },
} as const

export interface ListedLines {
  readonly lineCount: number
  readonly entries: readonly NewListed[]
  readonly faults: readonly ListedFault[]
}

/** The lines of a file; the limits of a file make them few enough for memory. Throws Refusal for one that cannot be read. */
export async function readListed(
  tables: TableReader,
  source: TableSource,
  defaults: ListedDefaults,
  caller: TableCaller,
): Promise<ListedLines> {
  const entries: NewListed[] = []
  const faults: ListedFault[] = []
  const lineOf = new Map<string, number>()
  let lineCount = 0
  for await (const portion of readNamedLines(tables, source, columns, caller))
    for (const line of portion) {
      lineCount += 1
      const found = entryOf(line, defaults)
      const key = 'fault' in found ? '' : `${found.sender}${found.isBlock ? '*' : ''}`
      const before = lineOf.get(key)
      const fault =
        'fault' in found
          ? found.fault
          : before === undefined
            ? undefined
            : sentence('It is in line {line} too. Take one of them out', { line: String(before) })
      if (fault !== undefined) faults.push({ line: line.line, sender: line.cells.sender.slice(0, 40), fault })
      else if (!('fault' in found)) {
        lineOf.set(key, line.line)
        entries.push(found)
      }
    }
  return { lineCount, entries, faults }
}

function entryOf(
  { cells, fault }: NamedLine<Column>,
  { reason: usualReason = '', untilDay: usualDay, today }: ListedDefaults,
): NewListed | { readonly fault: Words } {
  if (fault !== undefined) return { fault }
  const name = readListedSender(cells.sender)
  if (name === undefined)
    return { fault: spoken('This is no sender. Write a number, a name, or a block such as 44770090*') }
  const reason = reasonSchema.safeParse(cells.reason === '' ? usualReason : cells.reason)
  if (!reason.success)
    return { fault: spoken('It needs a reason: in a column reason, or one for the whole file') }
  const until = cells.until === '' ? usualDay : cells.until
  const day = daySchema.optional().safeParse(until)
  if (!day.success) return { fault: spoken('Its last day is not of the form yyyy-mm-dd') }
  if (day.data !== undefined && day.data < today) return { fault: spoken('Its last day is over') }
  return { ...name, reason: reason.data, untilDay: day.data ?? null }
}
