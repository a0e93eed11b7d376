// Import of numbers: all lines or none. Its report says what each faulty line lacks.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ImportReport, PremiumNumberInput } from '@tollgate/contract/numbers.ts'
import type { Db } from '../../platform/db.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { standAside, transaction } from '../../platform/transaction.ts'
import { enteredMicro } from '../amount.ts'
import { changeCatalog } from '../change-catalog.ts'
import { diallingCode, withCountry } from '../country.ts'
import type { By, NumbersDeps } from '../deps.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import type { Table } from '../../platform/tables/table-reader.ts'
import { NumberCopy, type NewNumber } from './number-copy.ts'
import { Pace } from './pace.ts'
import { tableOf, type ImportSource } from './read-file.ts'
import { readLines, type LineFault, type ReadLine } from './read-lines.ts'
import { knownNumbers, makeCount, type KnownNumber } from './store.ts'

// A look for what is there already.
const portionLines = 300
// An idle window comes every 5 to 7 ms beside much traffic, and is waited for up to 10 ms beside little: as many as the pace asks
// for in that time. A hundred lines are some 2 ms of PostgreSQL.
const chunkLines = { least: 20, most: 160 }
// Less than an idle machine could do: at full speed an import takes one of two cores from the messages.
const linesPerSecond = { checked: 80_000, added: 11_500 }
const previewLines = 20
const faultsMax = 1_000
const fieldsMax = 50

export interface ImportOptions {
  readonly isDryRun: boolean
  /** Ends when the caller goes away. */
  readonly signal: AbortSignal
}

export interface Importer {
  /**
   * Reads, checks and, unless `isDryRun`, adds the numbers. A line that says exactly what is stored already is passed
   * over, so an export can be brought back. When `signal` ends before the whole is read, nothing is imported. Throws
   * Refusal: invalid, too_large or unprocessable when the whole cannot be read, unprocessable with the faults of the
   * lines, too_many while another import runs or too many files are being read.
   */
  run(source: ImportSource, options: ImportOptions, by: By): Promise<ImportReport>
}

interface ImporterParts extends NumbersDeps {
  readonly idleWindows: IdleWindows
}

/** One import at a time: each keeps PostgreSQL busy for as long as it runs. */
export function createImporter(deps: NumbersDeps): Importer {
  const parts = { ...deps, idleWindows: deps.idleWindows ?? new IdleWindows() }
  let isRunning = false
  return {
    async run(source, options, by) {
      if (isRunning)
        throw new Refusal('too_many', 'Another import is running. Try again in a moment.', {
          retryAfterSeconds: 5,
        })
      isRunning = true
      try {
        return await importNumbers(parts, source, options, by)
      } finally {
        isRunning = false
      }
    },
  }
}

async function importNumbers(
  parts: ImporterParts,
  source: ImportSource,
  { isDryRun, signal }: ImportOptions,
  by: By,
): Promise<ImportReport> {
  // Before any transaction begins: it may have to wait its turn.
  const table = await parts.tables.open(tableOf(source), { userId: by.actor.userId, signal })
  let found: Findings
  try {
    found = isDryRun ? await goThrough(parts, table) : await add(parts, table, by)
  } finally {
    await table.close()
  }
  return {
    lineCount: found.lineCount,
    validCount: found.freshCount + found.knownCount,
    importedCount: isDryRun ? 0 : found.freshCount,
    isDryRun,
    preview: found.firstLines.map(({ input }) => ({ ...input, ...withCountry(input.number, input) })),
    faults: found.faults.slice(0, faultsMax).map((fault) => ({ ...fault, problems: [...fault.problems] })),
    faultCount: found.faults.length,
  }
}

interface Findings {
  readonly lineCount: number
  readonly firstLines: readonly ReadLine[]
  readonly freshCount: number
  readonly knownCount: number
  /** In the order of their lines. */
  readonly faults: readonly LineFault[]
}

/**
 * Tells new numbers from stored ones, portion by portion. `take` gets the new ones of each, while the next portion is
 * read and looked up, as long as there is no fault.
 */
async function goThrough(
  { db, idleWindows }: ImporterParts,
  table: Table,
  take?: (fresh: readonly ReadLine[]) => Promise<void>,
): Promise<Findings> {
  const pace = new Pace(linesPerSecond.checked)
  const lines = readLines(table)
  const firstLines: ReadLine[] = []
  const differing: LineFault[] = []
  let [freshCount, knownCount] = [0, 0]
  const portions = lines.portions(portionLines)
  const look = async (): Promise<Compared | undefined> => {
    const read = await portions.next()
    if (read.done) return undefined
    firstLines.push(...read.value.slice(0, previewLines - firstLines.length))
    await idleWindows.next()
    return compare(db, read.value)
  }
  const go = async ({ fresh, known, faults }: Compared): Promise<void> => {
    freshCount += fresh.length
    knownCount += known
    differing.push(...faults)
    const isFaultless = lines.faults.length === 0 && differing.length === 0
    if (isFaultless && fresh.length > 0) await take?.(fresh)
    await pace.rest(fresh.length + known + faults.length)
  }
  let found = await look()
  while (found !== undefined) {
    ;[found] = await Promise.all([look(), go(found)])
  }
  const faults = [...lines.faults, ...differing].toSorted((a, b) => a.line - b.line)
  return { lineCount: lines.count, firstLines, freshCount, knownCount, faults }
}

interface Compared {
  readonly fresh: readonly ReadLine[]
  readonly known: number
  readonly faults: readonly LineFault[]
}

/** A stored number with other details is a fault: nobody meant to overwrite it. */
async function compare(db: Db, portion: readonly ReadLine[]): Promise<Compared> {
  const fresh: ReadLine[] = []
  const faults: LineFault[] = []
  let known = 0
  const found = await knownNumbers(
    db,
    portion.map(({ input }) => input.number),
  )
  const stored = new Map(found.map((row) => [row.number, row]))
  for (const line of portion) {
    const row = stored.get(line.input.number)
    if (row === undefined) {
      fresh.push(line)
    } else if (saysTheSame(line.input, row)) {
      known += 1
    } else {
      const message = 'Already in the list with other details. Edit that entry, or take this line out'
      faults.push({ line: line.line, number: line.input.number, problems: [{ field: 'number', message }] })
    }
  }
  return { fresh, known, faults }
}

function saysTheSame(input: PremiumNumberInput, row: KnownNumber): boolean {
  const tariffMicro = row.tariff_micro === null ? null : BigInt(row.tariff_micro)
  const { country, countryCode } = withCountry(input.number, input)
  return (
    input.description === row.description &&
    enteredMicro(input.rate) === tariffMicro &&
    input.status === row.status &&
    country === row.country &&
    countryCode === diallingCode(row.country_code)
  )
}

function faulty(faults: readonly LineFault[]): Refusal {
  const [first] = faults
  const fields = Object.fromEntries(
    faults
      .slice(0, fieldsMax)
      .flatMap(({ line, problems }) =>
        problems.map(({ field, message }) => [`lines.${line}.${field}`, message] as const),
      ),
  )
  const others = faults.length === 1 ? '' : ` ${faults.length - 1} more lines have faults.`
  return new Refusal(
    'unprocessable',
    `Nothing was imported. Line ${first?.line}: ${first?.problems[0]?.message}.${others}`,
    { fields },
  )
}

/** Adds the new numbers of a file, or throws the Refusal that names its faults. */
async function add(parts: ImporterParts, table: Table, by: By): Promise<Findings> {
  const { db, audit, idleWindows } = parts
  const addedMeanwhile = (): Refusal =>
    new Refusal('taken', 'Nothing was imported: one of the numbers was added meanwhile. Try again.')
  return transaction(db, (tx) =>
    refuseWhereBroken('numbers_number_key', addedMeanwhile, async () => {
      await standAside(tx)
      const copy = await NumberCopy.open(tx)
      let [first, last] = ['', '']
      let found: Findings
      try {
        const pace = new Pace(linesPerSecond.added)
        // The transaction's own connection belongs to the copy.
        found = await goThrough(parts, table, async (fresh) => {
          await write(copy, fresh, pace, idleWindows)
          first ||= fresh[0]?.input.number ?? ''
          last = fresh.at(-1)?.input.number ?? ''
        })
        if (found.faults.length > 0) throw faulty(found.faults)
      } catch (error) {
        await copy.abort()
        throw error
      }
      const ids = await copy.end()
      if (found.freshCount === 0) return found
      // The gate last: traffic waits for one row, not for a hundred thousand.
      const change = await changeCatalog(tx)
      await makeCount(tx, change, ids)
      await audit.record(tx, {
        ...by,
        action: 'number.import',
        objectType: 'number',
        objectId: `${found.freshCount} numbers`,
        after: { count: found.freshCount, first, last },
      })
      return found
    }),
  )
}

/** Writes in idle windows of the traffic, each time what the pace asks for. */
async function write(
  copy: NumberCopy,
  lines: readonly ReadLine[],
  pace: Pace,
  idleWindows: IdleWindows,
): Promise<void> {
  for (let at = 0; at < lines.length;) {
    await idleWindows.next()
    const count = Math.min(chunkLines.most, Math.max(chunkLines.least, pace.behind))
    const chunk = lines.slice(at, at + count)
    await copy.write(chunk.map(toNewNumber))
    await pace.rest(chunk.length)
    at += chunk.length
  }
}

function toNewNumber({ input }: ReadLine): NewNumber {
  const { number, description, rate, status } = input
  const tariffMicro = enteredMicro(rate)?.toString() ?? null
  return { number, description, tariffMicro, status, ...withCountry(number, input) }
}
