// Reads import text line by line and says what is wrong with each. Works in small portions, so that the gateway's
// other work goes on meanwhile.
import { setImmediate as breathe } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import type { Refusal } from '@tollgate/contract/errors.ts'
import { premiumNumberInputSchema, type PremiumNumberInput } from '@tollgate/contract/numbers.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { stripApostrophe } from './apostrophe.ts'
import { importHeader } from './columns.ts'
import { importLimits, tooLarge, unreadable } from './limits.ts'

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

/** The text of one import. */
export interface Lines {
  /**
   * The valid lines in turn, about so many at a time; to be called once. Throws Refusal invalid or too_large when the
   * text as a whole cannot be read.
   */
  portions(portionLines: number): AsyncGenerator<readonly ReadLine[], void>
  /** How many lines were read so far. Empty ones are passed over. */
  readonly count: number
  /** Of the lines that were read so far. */
  readonly faults: readonly LineFault[]
}

// Some forty lines, about a millisecond: an answer to a message passes through the event loop several times.
const portionChars = 2 * 1024

/** Reads while its portions are asked for, so that an import holds no more than one of them at a time. */
export function readLines(text: string): Lines {
  const reader = new LineReader()
  return {
    portions: (portionLines) => portionsOf(text, reader, portionLines),
    get count() {
      return reader.count
    },
    faults: reader.faults,
  }
}

async function* portionsOf(
  text: string,
  reader: LineReader,
  portionLines: number,
): AsyncGenerator<readonly ReadLine[], void> {
  if (text.trim() === '')
    throw unreadable('There is nothing to import. Paste CSV text or choose a file.', 'Empty')
  const parser = parse({
    bom: true,
    relax_column_count: true,
    max_record_size: importLimits.lineChars,
  })
  let fault: Error | undefined
  parser.on('error', (error) => (fault = error))
  const takeParsed = (): void => {
    for (let parsed = next(parser); parsed !== null; parsed = next(parser)) reader.take(parsed)
    if (fault !== undefined) throw malformed(fault)
  }
  for (let at = 0; at < text.length; at += portionChars) {
    parser.write(text.slice(at, at + portionChars))
    takeParsed()
    if (reader.waitingCount >= portionLines) yield reader.takeOut()
    await breathe()
  }
  parser.end()
  await breathe()
  takeParsed()
  reader.end()
  if (reader.waitingCount > 0) yield reader.takeOut()
}

type Parsed = readonly string[]

function next(parser: { read(): unknown }): Parsed | null {
  return parser.read() as Parsed | null
}

function malformed(error: Error): Refusal {
  const line =
    error instanceof CsvError && typeof error['lines'] === 'number' ? ` near line ${error['lines']}` : ''
  return unreadable(`The text is not valid CSV${line}. Check its quotes and commas.`, `Not valid CSV${line}`)
}

class LineReader {
  readonly faults: LineFault[] = []
  count = 0
  #waiting: ReadLine[] = []
  readonly #lineOfNumber = new IntegerMap()
  #isHeaderRead = false
  /** Where the next record begins. Counted here: the parser's own count takes as long as its parsing. */
  #line = 1

  /** Valid lines that nobody has taken out yet. */
  get waitingCount(): number {
    return this.#waiting.length
  }

  takeOut(): readonly ReadLine[] {
    const taken = this.#waiting
    this.#waiting = []
    return taken
  }

  take(record: Parsed): void {
    const line = this.#line
    this.#line += 1
    for (const cell of record) this.#line += lineBreaksIn(cell)
    const cells = record.map((cell) => stripApostrophe(cell.trim()))
    if (cells.every((cell) => cell === '')) return
    if (this.#isHeaderRead) {
      this.#takeLine(cells, line)
    } else {
      checkHeader(cells)
      this.#isHeaderRead = true
    }
  }

  #takeLine(cells: readonly string[], line: number): void {
    if (this.count >= importLimits.lines) throw tooLarge('More than 100,000 lines. Import the file in parts.')
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

  /** The text has ended. Throws Refusal invalid when there was no line in it. */
  end(): void {
    if (!this.#isHeaderRead) checkHeader([])
    if (this.count === 0) throw unreadable('There is no line below the header.', 'No lines')
  }
}

/** A cell in quotes may go over several lines. */
function lineBreaksIn(cell: string): number {
  return cell.includes('\n') || cell.includes('\r') ? (cell.match(/\r\n|\r|\n/g)?.length ?? 0) : 0
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
