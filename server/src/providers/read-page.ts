// Reads a provider's response as a page of rows.
import { keptText } from '@tollgate/contract/kept-texts.ts'
import { parseJsonInPieces } from '../files/formats/json-in-pieces.ts'
import { measureJson, type JsonLimits } from '../platform/security/json-shape.ts'
import { ProviderFault } from './faults.ts'
import { valueAt, type Paths } from './mapping.ts'

export interface ProviderPage {
  readonly rows: readonly unknown[]
  readonly nextCursor: string | null
  readonly byteCount: number
}

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
  const rows = paths.records === undefined ? value : valueAt(value, paths.records)
  if (!Array.isArray(rows))
    throw new ProviderFault(
      paths.records === undefined
        ? 'The answer is not a list.'
        : keptText('The answer has no list at “{path}”.', { path: paths.records.join('.') }),
    )
  return { rows, nextCursor: readCursor(valueAt(value, paths.nextCursor)), byteCount: body.length }
}

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

function readCursor(value: unknown): string | null {
  if (value === undefined || value === null || value === '' || value === false) return null
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
  if (text === undefined || text.length > cursorLengthMax || text.includes('\0'))
    throw new ProviderFault(
      keptText('The next cursor is not a text of at most {count} characters.', { count: cursorLengthMax }),
    )
  return text
}
