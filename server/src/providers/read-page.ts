// Reads a provider's response as a page of rows.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { parseJsonInPieces } from '../files/formats/json-in-pieces.ts'
import { measureJson, type JsonLimits } from '../platform/security/json-shape.ts'
import { ProviderFault } from './faults.ts'
import { valueAt, type Path, type Paths } from './mapping.ts'

export interface ProviderPage {
  readonly rows: readonly unknown[]
  /** Null on the last page. */
  readonly nextCursor: string | null
  readonly byteCount: number
}

/** What a provider answers that has nothing new and says so by its status. */
export const emptyPage: ProviderPage = { rows: [], nextCursor: null, byteCount: 0 }

// 50 MB of real rows have a tenth of these containers; this many objects take about 100 MB.
const limits: JsonLimits = { depth: 32, containers: 1_000_000 }
const limitMessages = {
  depth: keptText('The answer is nested deeper than {count} levels.', { count: limits.depth }),
  containers: keptText('The answer has more than {count} objects and lists.', { count: limits.containers }),
} as const
const cursorLengthMax = 4_000

/** Throws ProviderFault when the response is not a page. */
export async function readPage(body: Buffer, paths: Paths): Promise<ProviderPage> {
  const value = await parse(body)
  return pageOf(value, paths, body.length)
}

/** The page that a parsed response is. Throws ProviderFault when it is none. */
export function pageOf(value: unknown, paths: Paths, byteCount: number): ProviderPage {
  const rows = rowsOf(value, paths)
  if (rows === undefined)
    throw new ProviderFault(
      paths.records === undefined
        ? 'The answer is not a list.'
        : keptText('The answer has no list at “{path}”.', { path: paths.records.join('.') }),
    )
  const cursor = readCursor(valueAt(value, paths.nextCursor))
  return { rows, nextCursor: saysEnd(valueAt(value, paths.hasMore)) ? null : cursor, byteCount }
}

/** The rows, in the ways in which the languages of providers write a list; undefined when there is none. */
function rowsOf(answer: unknown, paths: Paths): readonly unknown[] | undefined {
  const found = paths.records === undefined ? answer : valueAt(answer, paths.records)
  if (Array.isArray(found)) return found
  // Go writes an empty list as null, or leaves it out.
  if (found === null) return []
  if (found === undefined)
    return paths.records !== undefined && isQuiet(answer, paths.records) ? [] : undefined
  if (typeof found !== 'object') return undefined
  // PHP writes an empty list as {}, and one with gaps as an object of whole numbers.
  const names = Object.keys(found)
  if (names.every((name) => /^\d{1,10}$/.test(name))) return Object.values(found)
  // What turns XML into JSON writes a list of one as this one.
  const isRow = [paths.number, paths.timestamp].every((path) => isScalar(valueAt(found, path)))
  return isRow && paths.records !== undefined ? [found] : undefined
}

/**
 * Whether an answer without a list says that there is nothing new. Then it has other fields, and none of them is a list,
 * which would be the rows under another name, or tells of an error, which must not look like silence.
 */
function isQuiet(answer: unknown, path: Path): boolean {
  let value = answer
  for (const [place, name] of path.entries()) {
    // An empty object of PHP is written as a list.
    if (place > 0 && (value === null || (Array.isArray(value) && value.length === 0))) return true
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
    const fields = Object.entries(value)
    if (place === 0 && fields.length === 0) return false
    if (fields.some(([field, each]) => field !== name && speaks(field, each))) return false
    if (!Object.hasOwn(value, name)) return true
    value = (value as Record<string, unknown>)[name]
  }
  return true
}

/** Whether a field beside the list tells of an error, or holds a list. */
function speaks(name: string, value: unknown): boolean {
  if (!/error|fault|exception/i.test(name)) return holdsList(value, 3)
  const isNothing = value === null || value === false || value === '' || value === 0
  return !isNothing && !(typeof value === 'object' && Object.keys(value).length === 0)
}

function holdsList(value: unknown, depth: number): boolean {
  if (Array.isArray(value)) return true
  if (typeof value !== 'object' || value === null || depth === 0) return false
  return Object.values(value).some((each) => holdsList(each, depth - 1))
}

const isScalar = (value: unknown) =>
  (typeof value === 'string' && value.trim() !== '') || typeof value === 'number'

/** The JSON of the response. Throws ProviderFault when it is invalid, too deep or too large. */
export async function parse(body: Buffer): Promise<unknown> {
  const { excess, hasLongNumber } = await measureJson(body, limits)
  if (excess !== undefined) throw new ProviderFault(limitMessages[excess])
  try {
    return await parseJsonInPieces(body, hasLongNumber ? quoteLongNumbers : undefined)
  } catch {
    // The parser's message would quote the response, which may contain message texts.
    throw new ProviderFault('The answer is not valid JSON.')
  }
}

/**
 * Quotes whole numbers that a double cannot represent: two ids that differ in the last digit would become one, and a
 * message would be lost. Digits after a point or in an exponent belong to a number that stays as it is.
 */
function quoteLongNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
}

/** Whether the provider says that no page follows. */
function saysEnd(value: unknown): boolean {
  if (typeof value === 'string') return /^(false|no|0)$/i.test(value.trim())
  return value === false || value === 0
}

/** Null at the end of a list; 0 is the end as well, since counted cursors begin there. */
function readCursor(value: unknown): string | null {
  if (value === undefined || value === null || value === '' || value === false) return null
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
  if (text === undefined || text.length > cursorLengthMax || text.includes('\0'))
    throw new ProviderFault(
      keptText('The next cursor is not a text of at most {count} characters.', { count: cursorLengthMax }),
    )
  return text === '0' ? null : text
}
