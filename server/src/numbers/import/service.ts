// Imports numbers from a file: all lines or none. The report names what is wrong with each faulty line.
import { Refusal } from '@tollgate/contract/errors.ts'
import type { ImportReport, PremiumNumberInput } from '@tollgate/contract/numbers/numbers.ts'
import { englishOf, messageFieldsOf, sentence, spoken, type Words } from '@tollgate/contract/sentences.ts'
import type { Db } from '../../platform/db.ts'
import { IdleWindows } from '../../platform/load/idle-windows.ts'
import { excludeFromLogHorizon } from '../../platform/transaction.ts'
import { enteredMicro } from '../amount.ts'
import { changeCatalog } from '../change-catalog.ts'
import { diallingCode, withCountry } from '../country.ts'
import type { CallContext, Caller, OnceReply } from '../../http/handlers.ts'
import type { NumbersDeps } from '../deps.ts'
import { refuseWhereBroken } from '../../platform/refusals.ts'
import { ImportClients } from './clients.ts'
import type { GivenColumns } from './columns.ts'
import { NumberCopy, type NewNumber } from './number-copy.ts'
import { Pace } from './pace.ts'
import { tableOf, type ImportSource } from '../../files/tables/uploaded-table.ts'
import { readLines, type LineFault, type Lines, type LineWarning, type ImportLine } from './read-lines.ts'
import { holdersOf, knownNumbers, publishImport, type KnownNumber } from './store.ts'

// Lines that one query compares with the stored numbers.
const portionLines = 300
// Under heavy traffic an idle window comes every 5 to 7 ms; under light traffic the wait for one ends after 10 ms. Each
// write has as many lines as the pace needs for that time. A hundred lines take PostgreSQL about 2 ms.
const chunkLines = { min: 20, max: 160 }
// Slower than an idle machine could do: at full speed an import would take one of two cores from the messages.
const linesPerSecond = { checked: 80_000, added: 11_500 }
const previewLines = 20
const faultsMax = 1_000
const fieldsMax = 50

interface ImportOptions {
  readonly isDryRun: boolean
  /** What the columns are, where somebody said it. */
  readonly given?: GivenColumns | undefined
  /** Aborted when the caller disconnects. */
  readonly signal: AbortSignal
}

type Once = CallContext['once']

interface Importer {
  /**
   * Reads, checks and, unless `isDryRun`, adds the numbers. A line that equals a stored number is skipped, so an export can
   * be imported again. When `signal` is aborted before the file is read, nothing is imported. Throws Refusal: invalid,
   * too_large or unprocessable when the file cannot be read, unprocessable with the faults of the lines, too_many while
   * another import runs or too many files are being read.
   */
  run(source: ImportSource, options: ImportOptions, by: Caller, once: Once): Promise<OnceReply<ImportReport>>
}

interface ImporterDeps extends NumbersDeps {
  readonly idleWindows: IdleWindows
}

/** Runs one import at a time, since each keeps PostgreSQL busy. */
export function createImporter(options: NumbersDeps): Importer {
  const deps = { ...options, idleWindows: options.idleWindows ?? new IdleWindows() }
  let isRunning = false
  return {
    async run(source, options, by, once) {
      if (isRunning)
        throw new Refusal('too_many', 'Another import is running. Try again in a moment.', {
          retryAfterSeconds: 5,
        })
      isRunning = true
      try {
        return await importNumbers(deps, source, options, { by, once })
      } finally {
        isRunning = false
      }
    },
  }
}

async function importNumbers(
  deps: ImporterDeps,
  source: ImportSource,
  { isDryRun, given, signal }: ImportOptions,
  { by, once }: { readonly by: Caller; readonly once: Once },
): Promise<OnceReply<ImportReport>> {
  const open = () => deps.tables.open(tableOf(source), { userId: by.actor.userId, signal })
  // Before the transaction begins, because the reader may make it wait for its turn.
  let table = await open()
  let isRead = false
  const begin = async (): Promise<Scan> => {
    // A transaction that is tried again reads the file again.
    if (isRead) {
      table.close()
      table = await open()
    }
    isRead = true
    return { lines: readLines(table, given), clients: new ImportClients(deps, by) }
  }
  try {
    if (!isDryRun)
      return await once(
        deps.db,
        async (tx) => reportOf(await add(deps, tx, await begin(), { by, fileName: source.name }), isDryRun),
        excludeFromLogHorizon,
      )
    // Outside the transaction that keeps the answer, since it takes long and writes nothing.
    const found = await scanFile(deps, await begin())
    return await once(deps.db, async () => reportOf(found, isDryRun))
  } finally {
    table.close()
  }
}

function reportOf(found: ScanResult, isDryRun: boolean): ImportReport {
  return {
    lineCount: found.lineCount,
    validCount: found.freshCount + found.knownCount,
    importedCount: isDryRun ? 0 : found.freshCount,
    isDryRun,
    importId: found.importId === undefined ? null : String(found.importId),
    preview: found.firstLines.map(({ input, client }) => ({
      ...input,
      ...withCountry(input.number, input),
      client,
    })),
    faults: found.faults.slice(0, faultsMax).map(({ problems, ...where }) => ({
      ...where,
      problems: problems.map(({ field, fault }) => ({ field, ...messageFieldsOf(fault) })),
    })),
    faultCount: found.faults.length,
    warnings: found.warnings.map(({ warning, ...where }) => ({ ...where, ...messageFieldsOf(warning) })),
    warningCount: found.warningCount,
  }
}

interface ScanResult {
  /** Names the import that was made; undefined when nothing was added. */
  readonly importId?: number
  readonly lineCount: number
  readonly firstLines: readonly ImportLine[]
  readonly freshCount: number
  readonly knownCount: number
  /** In the order of the lines. */
  readonly faults: readonly LineFault[]
  readonly warnings: readonly LineWarning[]
  readonly warningCount: number
}

interface Scan {
  readonly lines: Lines
  readonly clients: ImportClients
}

/**
 * Reads the file portion by portion and compares it with the stored numbers. `addFresh` gets the new numbers of each
 * portion while the next one is read, as long as there is no fault.
 */
async function scanFile(
  { db, idleWindows }: ImporterDeps,
  { lines, clients }: Scan,
  addFresh?: (fresh: readonly ImportLine[]) => Promise<void>,
): Promise<ScanResult> {
  const pace = new Pace(linesPerSecond.checked)
  const firstLines: ImportLine[] = []
  const differing: LineFault[] = []
  let [freshCount, knownCount] = [0, 0]
  const portions = lines.portions(portionLines)
  const readNext = async (): Promise<ComparedPortion | undefined> => {
    const read = await portions.next()
    if (read.done) return undefined
    firstLines.push(...read.value.slice(0, previewLines - firstLines.length))
    await idleWindows.next()
    return compare(db, read.value, await clients.check(read.value))
  }
  const handle = async ({ fresh, known, faults }: ComparedPortion): Promise<void> => {
    freshCount += fresh.length
    knownCount += known
    differing.push(...faults)
    const isFaultless = lines.faults.length === 0 && differing.length === 0
    if (isFaultless && fresh.length > 0) await addFresh?.(fresh)
    await pace.wait(fresh.length + known + faults.length)
  }
  let portion = await readNext()
  while (portion !== undefined) {
    ;[portion] = await Promise.all([readNext(), handle(portion)])
  }
  const faults = [...lines.faults, ...differing].toSorted((a, b) => a.line - b.line)
  const { warnings, warningCount } = lines
  return { lineCount: lines.count, firstLines, freshCount, knownCount, faults, warnings, warningCount }
}

interface ComparedPortion {
  readonly fresh: readonly ImportLine[]
  readonly known: number
  readonly faults: readonly LineFault[]
}

/** A stored number with other details is a fault, because an import must not overwrite it. */
async function compare(
  db: Db,
  portion: readonly ImportLine[],
  clientFaults: ReadonlyMap<number, Words>,
): Promise<ComparedPortion> {
  const fresh: ImportLine[] = []
  const faults: LineFault[] = []
  let known = 0
  const found = await knownNumbers(
    db,
    portion.map(({ input }) => input.number),
  )
  const stored = new Map(found.map((row) => [row.number, row]))
  const named = portion.filter(({ client, input }) => client !== '' && stored.has(input.number))
  const holders = await holdersOf(
    db,
    named.map(({ input }) => input.number),
  )
  for (const line of portion) {
    const row = stored.get(line.input.number)
    const clientFault = clientFaults.get(line.line)
    if (clientFault !== undefined) {
      faults.push(faultOf(line, 'client', clientFault))
    } else if (row === undefined) {
      fresh.push(line)
    } else if (line.client !== '' && line.client.toLowerCase() !== holders.get(row.number)) {
      const fault = spoken(
        'Already in the list. Assign it in Number Inventory, or take the client out of this line',
      )
      faults.push(faultOf(line, 'client', fault))
    } else if (isSame(line.input, row)) {
      known += 1
    } else {
      const fault = spoken('Already in the list with other details. Edit that entry, or take this line out')
      faults.push(faultOf(line, 'number', fault))
    }
  }
  return { fresh, known, faults }
}

const faultOf = ({ line, input }: ImportLine, field: string, fault: Words): LineFault => ({
  line,
  number: input.number,
  problems: [{ field, fault }],
})

function isSame(input: PremiumNumberInput, row: KnownNumber): boolean {
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

function faultsRefusal(faults: readonly LineFault[]): Refusal {
  const [first] = faults
  const fields = Object.fromEntries(
    faults
      .slice(0, fieldsMax)
      .flatMap(({ line, problems }) =>
        problems.map(({ field, fault }) => [`lines.${line}.${field}`, fault] as const),
      ),
  )
  const more = faults.length - 1
  const others =
    more === 0
      ? []
      : [
          more === 1
            ? sentence('1 more line has faults.')
            : sentence('{count} more lines have faults.', { count: more }),
        ]
  const why = sentence('Nothing was imported. Line {line}: {fault}.', {
    line: String(first?.line),
    fault: { text: englishOf(first?.problems[0]?.fault ?? '') },
  })
  return new Refusal('unprocessable', [why, ...others], { fields })
}

/** Adds the new numbers of a file. Throws Refusal unprocessable with the faults of its lines. */
async function add(
  deps: ImporterDeps,
  tx: Db,
  scan: Scan,
  { by, fileName }: { readonly by: Caller; readonly fileName: string },
): Promise<ScanResult> {
  const { audit, idleWindows } = deps
  const addedMeanwhile = (): Refusal =>
    new Refusal('taken', 'Nothing was imported: one of the numbers was added meanwhile. Try again.')
  return refuseWhereBroken('numbers_number_key', addedMeanwhile, async () => {
    const copy = await NumberCopy.open(tx)
    let [first, last] = ['', '']
    let found: ScanResult
    const assigned: ImportLine[] = []
    try {
      const pace = new Pace(linesPerSecond.added)
      // With `deps.db`, since the connection of the transaction is used by the COPY.
      found = await scanFile(deps, scan, async (fresh) => {
        assigned.push(...fresh.filter(({ client }) => client !== ''))
        await write(copy, fresh, pace, idleWindows)
        first ||= fresh[0]?.input.number ?? ''
        last = fresh.at(-1)?.input.number ?? ''
      })
      if (found.faults.length > 0) throw faultsRefusal(found.faults)
    } catch (error) {
      await copy.abort()
      throw error
    }
    const ids = await copy.end()
    if (found.freshCount === 0) return found
    // The traffic gate is closed last, so that messages wait for one row and not for a hundred thousand.
    const change = await changeCatalog(tx)
    const { lineCount, freshCount: addedCount } = found
    await publishImport(tx, change, ids, { userId: by.actor.userId, fileName, lineCount, addedCount })
    await audit.record(tx, {
      ...by,
      action: 'number.import',
      objectType: 'number',
      objectId: `${found.freshCount} numbers`,
      after: { import: ids.importId, file: fileName, count: found.freshCount, first, last },
    })
    await scan.clients.assign(tx, change, ids.importId, assigned)
    return { ...found, importId: ids.importId }
  })
}

/** Writes in idle windows of the traffic, each time as many lines as are due by the pace. */
async function write(
  copy: NumberCopy,
  lines: readonly ImportLine[],
  pace: Pace,
  idleWindows: IdleWindows,
): Promise<void> {
  for (let at = 0; at < lines.length;) {
    await idleWindows.next()
    const count = Math.min(chunkLines.max, Math.max(chunkLines.min, pace.overdueCount))
    const chunk = lines.slice(at, at + count)
    await copy.write(chunk.map(toNewNumber))
    await pace.wait(chunk.length)
    at += chunk.length
  }
}

function toNewNumber({ input }: ImportLine): NewNumber {
  const { number, description, rate, status } = input
  const tariffMicro = enteredMicro(rate)?.toString() ?? null
  return { number, description, tariffMicro, status, ...withCountry(number, input) }
}
