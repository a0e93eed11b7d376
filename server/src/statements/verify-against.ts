// Compares a statement's file with the database, line by line with the records as they are now.
import {
  splitLine,
  type StatementHeader,
  type RecordLine,
} from '@tollgate/contract/statements/statement-format.ts'
import type { Db } from '../platform/db.ts'
import { parsePeriodId } from '../billing/index.ts'
import { messageLines } from './read-statement.ts'
import { findStatement } from './store.ts'

/** A difference between file and database; `line` is the line of the file, from 1. */
interface Difference {
  readonly line: number
  readonly what: string
}

const faultsMax = 20

/** The first differences between file and database, at most 20. `lines` are the lines of the file. */
export async function verifyAgainst(db: Db, lines: AsyncIterable<string>): Promise<Difference[]> {
  const faults: Difference[] = []
  let line = 0
  let theirs: AsyncGenerator<string> | undefined
  for await (const text of lines) {
    if (text === '') continue
    line += 1
    theirs ??= await expectedLines(db, text)
    if (theirs === undefined) return [{ line, what: 'The database has no statement of this period.' }]
    const expected = await theirs.next()
    if (expected.done === true)
      return [...faults, { line, what: 'The database ends before this line: it is one too many.' }]
    const found = compare(text, expected.value, faults.length === 0)
    if (found !== undefined) faults.push({ line, what: found.what })
    // A line is missing or added, so all lines after it would differ.
    if (found?.isShifted === true || faults.length >= faultsMax) return faults
  }
  const rest = await theirs?.next()
  if (rest?.done === false) faults.push({ line, what: 'The file ends here; the database has more lines.' })
  return faults
}

/** All lines that the file should have; undefined when its header names no statement of ours. */
async function expectedLines(db: Db, head: string): Promise<AsyncGenerator<string> | undefined> {
  const id = parsePeriodId(headOf(head)?.period ?? '')
  if (id === undefined) return undefined
  const statement = await findStatement(db, id.cycleId, id.userId)
  if (statement === undefined) return undefined
  return (async function* () {
    yield statement.preamble.trim()
    for await (const page of messageLines(db, id.cycleId, id.userId, statement)) yield* page
    yield* statement.closing.trim().split('\n')
  })()
}

function headOf(text: string): Partial<StatementHeader> | undefined {
  return parse(text) as Partial<StatementHeader> | undefined
}

function recordOf(text: string): RecordLine | undefined {
  const line = parse(text) as RecordLine | undefined
  return line?.type === 'record' ? line : undefined
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON, so not a line of ours; the caller reports it.
    return undefined
  }
}

/** How two lines that should be equal differ. After a changed line, the following ones differ only in their chain. */
function compare(
  file: string,
  database: string,
  isFirst: boolean,
): { what: string; isShifted: boolean } | undefined {
  if (file === database) return undefined
  const [ours, theirs] = [splitLine(file), splitLine(database)]
  const shown = `The database says: ${(theirs?.text ?? database).slice(0, 300)}`
  if (ours === undefined || theirs === undefined) return { what: shown, isShifted: false }
  if (ours.text === theirs.text)
    return isFirst ? { what: 'Only the chain differs here.', isShifted: false } : undefined
  const [one, other] = [recordOf(ours.text), recordOf(theirs.text)]
  if (one === undefined || other === undefined || one.id !== other.id) return { what: shown, isShifted: true }
  const fields = (Object.keys(other) as (keyof RecordLine)[]).filter((name) => one[name] !== other[name])
  const words = fields.map((name) => `${name} is ${one[name]} in the file, ${other[name]} in the database`)
  return { what: `Record ${one.id}: ${words.join('; ')}.`, isShifted: false }
}
