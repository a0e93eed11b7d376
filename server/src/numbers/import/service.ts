// Import of numbers: all lines or none. Its report says what each faulty line lacks.
import { setImmediate as breathe } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ImportReport, PremiumNumberInput } from '@tollgate/contract/numbers.ts'
import type { Db } from '../../platform/db.ts'
import { standAside, transaction } from '../../platform/transaction.ts'
import { changeCatalog } from '../change-catalog.ts'
import { diallingCode, withCountry } from '../country.ts'
import type { By, NumbersDeps } from '../deps.ts'
import { tariffOf } from '../premium/service.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { readFile, type ImportFile } from './read-file.ts'
import { readLines, type LineFault, type ReadLine } from './read-lines.ts'
import {
  addNumbers,
  knownNumbers,
  makeCount,
  settleSearch,
  type KnownNumber,
  type NewNumber,
} from './store.ts'

// The messages of the peers wait some milliseconds for one; with a quarter of it an import takes two seconds more.
const portionLines = 2_000
// About a millisecond: an answer to a message passes through the event loop several times.
const linesAtOnce = 200
const previewLines = 20
const faultsMax = 1_000
const fieldsMax = 50

/** What is imported: pasted text, or a file. */
export type ImportSource = { readonly data: string } | { readonly file: ImportFile }

export interface Importer {
  /**
   * Reads, checks and, unless `isDryRun`, adds the numbers. A line that says exactly what is stored already is passed
   * over, so an export can be brought back. Throws Refusal: invalid or too_large when the whole cannot be read,
   * unprocessable with the faults of the lines, too_many while another import runs.
   */
  run(source: ImportSource, options: { isDryRun: boolean }, by: By): Promise<ImportReport>
}

/** One import at a time: each may take 150 MB while it runs. */
export function createImporter(deps: NumbersDeps): Importer {
  let isRunning = false
  return {
    async run(source, { isDryRun }, by) {
      if (isRunning)
        throw new Refusal('too_many', 'Another import is running. Try again in a moment.', {
          retryAfterSeconds: 5,
        })
      isRunning = true
      try {
        return await importNumbers(deps, source, isDryRun, by)
      } finally {
        isRunning = false
      }
    },
  }
}

async function importNumbers(
  deps: NumbersDeps,
  source: ImportSource,
  isDryRun: boolean,
  by: By,
): Promise<ImportReport> {
  const text = 'file' in source ? await readFile(source.file) : source.data
  const read = await readLines(text)
  const { fresh, knownCount, faults: differing } = await compare(deps.db, read.lines)
  const faults = [...read.faults, ...differing].toSorted((a, b) => a.line - b.line)
  if (!isDryRun) {
    if (faults.length > 0) throw faulty(faults)
    if (fresh.length > 0) await add(deps, fresh, by)
  }
  return {
    lineCount: read.lineCount,
    validCount: fresh.length + knownCount,
    importedCount: isDryRun ? 0 : fresh.length,
    isDryRun,
    preview: read.lines
      .slice(0, previewLines)
      .map(({ input }) => ({ ...input, ...withCountry(input.number, input) })),
    faults: faults.slice(0, faultsMax).map((fault) => ({ ...fault, problems: [...fault.problems] })),
    faultCount: faults.length,
  }
}

/** Tells new numbers from stored ones. A stored one with other details is a fault: nobody meant to overwrite it. */
async function compare(
  db: Db,
  lines: readonly ReadLine[],
): Promise<{ fresh: ReadLine[]; knownCount: number; faults: LineFault[] }> {
  const fresh: ReadLine[] = []
  const faults: LineFault[] = []
  let knownCount = 0
  for (let at = 0; at < lines.length; at += portionLines) {
    const portion = lines.slice(at, at + portionLines)
    const found = await knownNumbers(
      db,
      portion.map(({ input }) => input.number),
    )
    const known = new Map(found.map((row) => [row.number, row]))
    for (const [index, line] of portion.entries()) {
      if (index % linesAtOnce === 0) await breathe()
      const row = known.get(line.input.number)
      if (row === undefined) {
        fresh.push(line)
      } else if (saysTheSame(line.input, row)) {
        knownCount += 1
      } else {
        const message = 'Already in the list with other details. Edit that entry, or take this line out'
        faults.push({ line: line.line, number: line.input.number, problems: [{ field: 'number', message }] })
      }
    }
  }
  return { fresh, knownCount, faults }
}

function saysTheSame(input: PremiumNumberInput, row: KnownNumber): boolean {
  const tariffMicro = row.tariff_micro === null ? null : BigInt(row.tariff_micro)
  const { country, countryCode } = withCountry(input.number, input)
  return (
    input.description === row.description &&
    tariffOf(input.rate) === tariffMicro &&
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

async function add({ db, audit }: NumbersDeps, lines: readonly ReadLine[], by: By): Promise<void> {
  const addedMeanwhile = (): Refusal =>
    new Refusal('taken', 'Nothing was imported: one of the numbers was added meanwhile. Try again.')
  await transaction(db, (tx) =>
    refuseWhereBroken('numbers_number_key', addedMeanwhile, async () => {
      await standAside(tx)
      let firstId = Infinity
      let lastId = 0
      let portion = await portionAt(lines, 0)
      for (let at = portionLines; portion !== undefined; at += portionLines) {
        // While the database takes in one portion the next is made ready.
        const [added, next] = await Promise.all([addNumbers(tx, portion), portionAt(lines, at)])
        firstId = Math.min(firstId, added.firstId)
        lastId = Math.max(lastId, added.lastId)
        portion = next
      }
      await settleSearch(tx)
      // The gate last: traffic waits for one row, not for a hundred thousand.
      const change = await changeCatalog(tx)
      await makeCount(tx, change, { firstId, lastId })
      await audit.record(tx, {
        ...by,
        action: 'number.import',
        objectType: 'number',
        objectId: `${lines.length} numbers`,
        after: { count: lines.length, first: lines[0]?.input.number, last: lines.at(-1)?.input.number },
      })
    }),
  )
}

/** The lines from there on as JSON, made piece by piece; undefined behind the last. */
async function portionAt(lines: readonly ReadLine[], from: number): Promise<string | undefined> {
  const to = Math.min(from + portionLines, lines.length)
  const pieces: string[] = []
  for (let at = from; at < to; at += linesAtOnce) {
    await breathe()
    const piece = lines.slice(at, Math.min(at + linesAtOnce, to))
    pieces.push(piece.map((line) => JSON.stringify(toNewNumber(line))).join(','))
  }
  return pieces.length === 0 ? undefined : `[${pieces.join(',')}]`
}

function toNewNumber({ input }: ReadLine): NewNumber {
  const { country, countryCode } = withCountry(input.number, input)
  const tariffMicro = tariffOf(input.rate)
  return {
    number: input.number,
    description: input.description,
    tariff_micro: tariffMicro === null ? null : String(tariffMicro),
    status: input.status,
    country,
    country_code: countryCode,
  }
}
