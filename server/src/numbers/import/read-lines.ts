// Validates an import line by line and collects the faults. Works in small portions, so that it never blocks the event
// loop for long.
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import {
  importColumns,
  premiumNumberInputSchema,
  type PremiumNumberInput,
} from '@tollgate/contract/numbers/numbers.ts'
import { faultOf } from '@tollgate/contract/schema-messages.ts'
import { sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import { IntegerMap } from '../../platform/integer-map.ts'
import { unreadable } from '../../files/tables/faults.ts'
import type { CellFault, FileRow } from '../../files/tables/reader-process.ts'
import type { Table } from '../../files/tables/table-reader.ts'
import { countryWarning } from '../country.ts'
import { stripApostrophe, stripTextMark } from '../../files/tables/apostrophe.ts'
import { givenPlaces, placesByHeader, type GivenColumns, type Places } from './columns.ts'

export interface ImportLine {
  /** The line number as in a text editor: the header is line 1. */
  readonly line: number
  readonly input: PremiumNumberInput
  /** The username of who gets the number; empty for nobody. */
  readonly client: string
}

interface LineProblem {
  readonly field: string
  readonly fault: Words
}

export interface LineFault {
  readonly line: number
  readonly number: string
  readonly problems: readonly LineProblem[]
}

export interface LineWarning {
  readonly line: number
  readonly number: string
  readonly warning: Words
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
  /** What is odd and no fault, of the valid lines that were read so far; the first ones only. */
  readonly warnings: readonly LineWarning[]
  readonly warningCount: number
}

const warningsMax = 200

// About a millisecond of work. It must be short, because answering a message takes several turns of the event loop.
const rowsPerTurn = 40

/** `given` says what the columns are; else the first line does. Reads the table only as fast as portions are taken, so that an import keeps one portion in memory at a time. */
export function readLines(table: Pick<Table, 'rows'>, given?: GivenColumns): Lines {
  const reader = new LineReader(given)
  return {
    portions: (portionLines) => portionsOf(table, reader, portionLines),
    get count() {
      return reader.count
    },
    faults: reader.faults,
    warnings: reader.warnings,
    get warningCount() {
      return reader.warningCount
    },
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
  readonly warnings: LineWarning[] = []
  warningCount = 0
  count = 0
  #ready: ImportLine[] = []
  readonly #lineOfNumber = new IntegerMap()
  readonly #given: GivenColumns | undefined
  /** Undefined before the first line was read. */
  #form: LineForm | undefined

  constructor(given: GivenColumns | undefined) {
    this.#given = given
  }

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
    const { line, faults = [] } = row
    if (faults.length === 0 && cells.every((cell) => cell === '')) return
    if (this.#form !== undefined) {
      this.#readLine({ line, cells, faults }, this.#form)
      return
    }
    const given = this.#given
    // A title or a note.
    if (given !== undefined && line < given.headerLine) return
    const width = cells.findLastIndex((cell) => cell !== '') + 1
    if (given === undefined) {
      if (faults[0] !== undefined) throw unreadable(faults[0].fault)
      this.#form = { places: placesByHeader(cells), width }
      return
    }
    this.#form = { places: givenPlaces(given), width: Math.max(width, given.columns.length) }
    if (given.headerLine === 0) this.#readLine({ line, cells, faults }, this.#form)
  }

  #readLine({ line, cells, faults }: Required<FileRow>, form: LineForm): void {
    this.count += 1
    const parsed = withFaults(parseLine(cells, form), faults, form.places)
    const number = cells[form.places.Number] ?? ''
    if ('problems' in parsed) {
      this.faults.push({ line, number, problems: parsed.problems })
      return
    }
    // Digits as an integer: at most 15 without a leading 0, so it is exact, and different texts give different integers.
    const whole = Number(parsed.input.number)
    const first = this.#lineOfNumber.get(whole)
    if (first === undefined) {
      this.#lineOfNumber.set(whole, line)
      this.#ready.push({ line, input: parsed.input, client: cells[form.places.Client] ?? '' })
      this.#warn(line, parsed.input)
    } else {
      const fault = sentence('The same number is on line {line}', { line: String(first) })
      this.faults.push({ line, number, problems: [{ field: 'number', fault }] })
    }
  }

  #warn(line: number, input: PremiumNumberInput): void {
    const warning = countryWarning(input)
    if (warning === undefined) return
    this.warningCount += 1
    if (this.warnings.length < warningsMax) this.warnings.push({ line, number: input.number, warning })
  }

  /** To be called at the end of the file. Throws Refusal invalid when the file had no line. */
  end(): void {
    if (this.#form === undefined)
      throw unreadable('There is nothing to import. Paste CSV text or choose a file.', 'Empty')
    if (this.count === 0) throw unreadable('There is no line below the header.', 'No lines')
  }
}

const fields = {
  Number: 'number',
  Description: 'description',
  Rate: 'rate',
  Status: 'status',
  Country: 'country',
  'Country Code': 'countryCode',
  Client: 'client',
} as const satisfies Record<keyof Places, keyof PremiumNumberInput | 'client'>

type ParsedLine = { readonly input: PremiumNumberInput } | { readonly problems: readonly LineProblem[] }

/** A cell with a fault was parsed as an empty one, so what its column says of that is left out. */
function withFaults(parsed: ParsedLine, faults: readonly CellFault[], places: Places): ParsedLine {
  if (faults.length === 0) return parsed
  const ofCells = faults.map(({ column, fault }): LineProblem => {
    const name = importColumns.find((each) => places[each] === column)
    return { field: name === undefined ? 'line' : fields[name], fault }
  })
  const others = 'problems' in parsed ? parsed.problems : []
  return {
    problems: [...ofCells, ...others.filter(({ field }) => !ofCells.some((of) => of.field === field))],
  }
}

interface LineForm {
  readonly places: Places
  /** How many columns have a name or stand before one that has. */
  readonly width: number
}

/** Where spreadsheets write decimals with a comma. Three digits after it could be thousands, and are refused. */
const decimalComma = /^(\d+),(\d{1,2})$/

/** The currency of tariffs, before or after the figure. */
const shekels = /^(?:₪|ILS|NIS)\s*(?=\d)|(?<=\d)\s*(?:₪|ILS|NIS)$/giu
const otherCurrency = /^(?:\p{Sc}|[A-Z]{3})\s*[\d.,]+$|^[\d.,]+\s*(?:\p{Sc}|[A-Z]{3})$/iu

/** What a person would not find in the fault of the field alone. */
function betterFault(field: string, text: string): Words | undefined {
  if (field === 'rate' && otherCurrency.test(text))
    return spoken('Rates are in shekels (₪): enter the figure in shekels, such as 2.00')
  if (field === 'number' && /\d/.test(text) && /o/i.test(text))
    return spoken('The letter O stands where the digit 0 may be meant')
  return undefined
}

function parseLine(cells: readonly string[], { places, width }: LineForm): ParsedLine {
  if (cells.slice(width).some((cell) => cell !== '') || cells.length < width) {
    const fault = sentence('Expected {width} columns, found {found}', { width, found: cells.length })
    return { problems: [{ field: 'line', fault }] }
  }
  const cell = (name: keyof Places): string => cells[places[name]] ?? ''
  const figure = (name: keyof Places): string => stripTextMark(cell(name))
  const status = cell('Status')
  const rate = figure('Rate').replace(shekels, '')
  const result = premiumNumberInputSchema.safeParse({
    number: figure('Number'),
    description: cell('Description'),
    rate: rate.replace(decimalComma, '$1.$2'),
    status: status === '' ? 'active' : status.toLowerCase(),
    country: cell('Country'),
    countryCode: figure('Country Code'),
  })
  if (result.success) return { input: result.data }
  return {
    problems: result.error.issues.map((issue) => {
      const field = String(issue.path[0] ?? 'line')
      return {
        field,
        fault: betterFault(field, field === 'rate' ? rate : figure('Number')) ?? faultOf(issue),
      }
    }),
  }
}
