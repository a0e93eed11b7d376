// Validates an import line by line and collects the faults. Works in small portions, so that it never blocks the event
// loop for long.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { premiumNumberInputSchema, type PremiumNumberInput } from '@tollgate/contract/numbers.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { unreadable } from '../../platform/tables/faults.ts'
import type { FileRow } from '../../platform/tables/reader-process.ts'
import type { Table } from '../../platform/tables/table-reader.ts'
import { stripApostrophe } from './apostrophe.ts'
import { importHeader } from './columns.ts'

export interface ImportLine {
  /** The line number as in a text editor: the header is line 1. */
  readonly line: number
  readonly input: PremiumNumberInput
}

export interface LineFault {
  readonly line: number
  readonly number: string
  readonly problems: readonly { readonly field: string; readonly message: string }[]
}

/** The lines of one import. */
export interface Lines {
  /**
   * The valid lines in order, about `portionLines` at a time; may be called once. Throws Refusal invalid or unprocessable
   * when the file as a whole cannot be read.
   */
  portions(portionLines: number): AsyncGenerator<readonly ImportLine[], void>
  /** How many lines were read so far, without empty ones. */
  readonly count: number
  /** The faults of the lines that were read so far. */
  readonly faults: readonly LineFault[]
}

// About a millisecond of work. It must be short, because answering a message takes several turns of the event loop.
const rowsPerTurn = 40

/** Reads the table only as fast as portions are taken, so that an import keeps one portion in memory at a time. */
export function readLines(table: Pick<Table, 'rows'>): Lines {
  const reader = new LineReader()
  return {
    portions: (portionLines) => portionsOf(table, reader, portionLines),
    get count() {
      return reader.count
    },
    faults: reader.faults,
  }
}

async function* portionsOf(
  table: Pick<Table, 'rows'>,
  reader: LineReader,
  portionLines: number,
): AsyncGenerator<readonly ImportLine[], void> {
  for await (const rows of table.rows())
    for (let at = 0; at < rows.length; at += rowsPerTurn) {
      for (const row of rows.slice(at, at + rowsPerTurn)) reader.read(row)
      if (reader.readyCount >= portionLines) yield reader.takeReady()
      await yieldToEventLoop()
    }
  reader.end()
  if (reader.readyCount > 0) yield reader.takeReady()
}

class LineReader {
  readonly faults: LineFault[] = []
  count = 0
  #ready: ImportLine[] = []
  readonly #lineOfNumber = new IntegerMap()
  #isHeaderRead = false

  /** How many valid lines have not been taken yet. */
  get readyCount(): number {
    return this.#ready.length
  }

  takeReady(): readonly ImportLine[] {
    const ready = this.#ready
    this.#ready = []
    return ready
  }

  read(row: FileRow): void {
    const cells = row.cells.map((cell) => stripApostrophe(cell.trim()))
    if (cells.every((cell) => cell === '')) return
    if (this.#isHeaderRead) {
      this.#readLine(cells, row.line)
    } else {
      checkHeader(cells)
      this.#isHeaderRead = true
    }
  }

  #readLine(cells: readonly string[], line: number): void {
    this.count += 1
    const parsed = parseLine(cells)
    const number = cells[0] ?? ''
    if ('problems' in parsed) {
      this.faults.push({ line, number, problems: parsed.problems })
      return
    }
    // Digits as an integer: at most 15 without a leading 0, so it is exact, and different texts give different integers.
    const whole = Number(parsed.input.number)
    const first = this.#lineOfNumber.get(whole)
    if (first === undefined) {
      this.#lineOfNumber.set(whole, line)
      this.#ready.push({ line, input: parsed.input })
    } else {
      const message = `The same number is on line ${first}`
      this.faults.push({ line, number, problems: [{ field: 'number', message }] })
    }
  }

  /** To be called at the end of the file. Throws Refusal invalid when the file had no line. */
  end(): void {
    if (!this.#isHeaderRead)
      throw unreadable('There is nothing to import. Paste CSV text or choose a file.', 'Empty')
    if (this.count === 0) throw unreadable('There is no line below the header.', 'No lines')
  }
}

/** Spec §7 fixes the header. Another header means that the columns have another meaning. */
function checkHeader(cells: readonly string[]): void {
  const header = [...cells]
  // A spreadsheet may have one more column that is empty.
  if (header.length === importHeader.length + 1 && header.at(-1) === '') header.pop()
  const isKnown =
    header.length === importHeader.length && importHeader.every((name, index) => name === header[index])
  if (!isKnown)
    throw unreadable(
      `The first line must be: ${importHeader.join(', ')}. Download a template to see the form.`,
      'Unknown header',
    )
}

const fieldNames = ['number', 'description', 'rate', 'status', 'country', 'countryCode'] as const

function parseLine(
  cells: readonly string[],
): { input: PremiumNumberInput } | { problems: { field: string; message: string }[] } {
  if (cells.slice(fieldNames.length).some((cell) => cell !== '') || cells.length < fieldNames.length)
    return { problems: [{ field: 'line', message: `Expected 6 columns, found ${cells.length}` }] }
  const [number = '', description = '', rate = '', status = '', country = '', countryCode = ''] = cells
  const result = premiumNumberInputSchema.safeParse({
    number,
    description,
    rate,
    status: status === '' ? 'active' : status.toLowerCase(),
    country,
    countryCode,
  })
  if (result.success) return { input: result.data }
  return {
    problems: result.error.issues.map(({ path, message }) => ({ field: String(path[0] ?? 'line'), message })),
  }
}
