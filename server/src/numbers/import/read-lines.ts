// Looks at an import line by line and says what is wrong with each. Works in small portions, so that the gateway's other
// work goes on meanwhile.
import { setImmediate as breathe } from 'node:timers/promises'
import { premiumNumberInputSchema, type PremiumNumberInput } from '@tollgate/contract/numbers.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { unreadable } from '../../platform/tables/faults.ts'
import type { TableRow } from '../../platform/tables/reader-process.ts'
import type { Table } from '../../platform/tables/table-reader.ts'
import { stripApostrophe } from './apostrophe.ts'
import { importHeader } from './columns.ts'

export interface ReadLine {
  /** As a text editor counts them: the header is line 1. */
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
   * The valid lines in turn, about so many at a time; to be called once. Throws Refusal invalid or unprocessable when the
   * file as a whole cannot be read.
   */
  portions(portionLines: number): AsyncGenerator<readonly ReadLine[], void>
  /** How many lines were read so far. Empty ones are passed over. */
  readonly count: number
  /** Of the lines that were read so far. */
  readonly faults: readonly LineFault[]
}

// About a millisecond: an answer to a message passes through the event loop several times.
const lookedAtOnce = 40

/** Reads while its portions are asked for, so that an import holds no more than one of them at a time. */
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
): AsyncGenerator<readonly ReadLine[], void> {
  for await (const rows of table.rows())
    for (let at = 0; at < rows.length; at += lookedAtOnce) {
      for (const row of rows.slice(at, at + lookedAtOnce)) reader.take(row)
      if (reader.waitingCount >= portionLines) yield reader.takeOut()
      await breathe()
    }
  reader.end()
  if (reader.waitingCount > 0) yield reader.takeOut()
}

class LineReader {
  readonly faults: LineFault[] = []
  count = 0
  #waiting: ReadLine[] = []
  readonly #lineOfNumber = new IntegerMap()
  #isHeaderRead = false

  /** Valid lines that nobody has taken out yet. */
  get waitingCount(): number {
    return this.#waiting.length
  }

  takeOut(): readonly ReadLine[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  take(row: TableRow): void {
    const cells = row.cells.map((cell) => stripApostrophe(cell.trim()))
    if (cells.every((cell) => cell === '')) return
    if (this.#isHeaderRead) {
      this.#takeLine(cells, row.line)
    } else {
      checkHeader(cells)
      this.#isHeaderRead = true
    }
  }

  #takeLine(cells: readonly string[], line: number): void {
    this.count += 1
    const read = readLine(cells)
    const number = cells[0] ?? ''
    if ('problems' in read) {
      this.faults.push({ line, number, problems: read.problems })
      return
    }
    // At most 15 digits without a leading 0: exact, and no two texts are the same.
    const whole = Number(read.input.number)
    const first = this.#lineOfNumber.get(whole)
    if (first === undefined) {
      this.#lineOfNumber.set(whole, line)
      this.#waiting.push({ line, input: read.input })
    } else {
      const message = `The same number is on line ${first}`
      this.faults.push({ line, number, problems: [{ field: 'number', message }] })
    }
  }

  /** The file has ended. Throws Refusal invalid when there was no line in it. */
  end(): void {
    if (!this.#isHeaderRead)
      throw unreadable('There is nothing to import. Paste CSV text or choose a file.', 'Empty')
    if (this.count === 0) throw unreadable('There is no line below the header.', 'No lines')
  }
}

/** Spec §7 names the header; another one means that the columns are something else. */
function checkHeader(cells: readonly string[]): void {
  const given = [...cells]
  // A sheet that is one column wider than the header, but empty there.
  if (given.length === importHeader.length + 1 && given.at(-1) === '') given.pop()
  const isKnown =
    given.length === importHeader.length && importHeader.every((name, index) => name === given[index])
  if (!isKnown)
    throw unreadable(
      `The first line must be: ${importHeader.join(', ')}. Download a template to see the form.`,
      'Unknown header',
    )
}

const fieldNames = ['number', 'description', 'rate', 'status', 'country', 'countryCode'] as const

function readLine(
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
