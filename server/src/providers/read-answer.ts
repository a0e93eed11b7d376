// A provider's answer as a page of rows. Its shape is measured before it is parsed, since a small text can become a
// large heap, and in slices, since one thread serves everybody.
import { setImmediate as turn } from 'node:timers/promises'
import { ProviderFault } from './faults.ts'
import { valueAt, type Paths } from './mapping.ts'

export interface Page {
  readonly rows: readonly unknown[]
  readonly nextCursor: string | null
  readonly byteCount: number
}

const depthMost = 32
// 50 MB of real rows have a tenth of it; as objects so many take some 100 MB.
const containersMost = 1_000_000
const sliceBytes = 1_048_576
const cursorMost = 4_000

/** Throws ProviderFault for what is no page. */
export async function readAnswer(body: Buffer, paths: Paths): Promise<Page> {
  const value = await parse(body)
  const rows = paths.records === undefined ? value : valueAt(value, paths.records)
  if (!Array.isArray(rows))
    throw new ProviderFault(
      paths.records === undefined
        ? 'The answer is not a list.'
        : `The answer has no list at “${paths.records.join('.')}”.`,
    )
  return { rows, nextCursor: readCursor(valueAt(value, paths.nextCursor)), byteCount: body.length }
}

/** The JSON in the answer. Throws ProviderFault when it is none, or too deep or too full. */
export async function parse(body: Buffer): Promise<unknown> {
  const shape = {
    depth: 0,
    containers: 0,
    isInText: false,
    isEscaped: false,
    digits: 0,
    hasLongNumber: false,
  }
  for (let from = 0; from < body.length; from += sliceBytes) {
    measure(body, from, Math.min(body.length, from + sliceBytes), shape)
    if (body.length > sliceBytes) await turn()
  }
  try {
    const text = body.toString('utf8').replace(/^\uFEFF/, '')
    return JSON.parse(shape.hasLongNumber ? quoteLongNumbers(text) : text)
  } catch {
    // The parser's words would quote the answer, which may hold texts of messages.
    throw new ProviderFault('The answer is not valid JSON.')
  }
}

/**
 * Makes texts of whole numbers that a double cannot hold: two ids that differ in their last digit would be one, and a
 * message lost.
 */
function quoteLongNumbers(text: string): string {
  return text.replace(/"(?:[^"\\]|\\.)*"|-?\d{16,}(?![\d.eE])/g, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  )
}

interface Shape {
  depth: number
  containers: number
  isInText: boolean
  isEscaped: boolean
  /** Digits in a row, outside texts. */
  digits: number
  hasLongNumber: boolean
}

const longNumberDigits = 16
const quote = 0x22
const backslash = 0x5c
const openings = new Set([0x5b, 0x7b])
const closings = new Set([0x5d, 0x7d])

function measure(body: Buffer, from: number, to: number, shape: Shape): void {
  for (let place = from; place < to; place += 1) {
    const byte = body[place] ?? 0
    if (shape.isInText) {
      if (shape.isEscaped) shape.isEscaped = false
      else if (byte === backslash) shape.isEscaped = true
      else if (byte === quote) shape.isInText = false
    } else if (byte >= 0x30 && byte <= 0x39) {
      shape.digits += 1
      if (shape.digits === longNumberDigits) shape.hasLongNumber = true
    } else {
      shape.digits = 0
      if (byte === quote) shape.isInText = true
      else if (openings.has(byte)) open(shape)
      else if (closings.has(byte)) shape.depth -= 1
    }
  }
}

function open(shape: Shape): void {
  shape.depth += 1
  shape.containers += 1
  if (shape.depth > depthMost)
    throw new ProviderFault(`The answer is nested deeper than ${depthMost} levels.`)
  if (shape.containers > containersMost)
    throw new ProviderFault(`The answer has more than ${containersMost} objects and lists.`)
}

function readCursor(value: unknown): string | null {
  if (value === undefined || value === null || value === '' || value === false) return null
  const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined
  if (text === undefined || text.length > cursorMost || text.includes('\0'))
    throw new ProviderFault(`The next cursor is not a text of at most ${cursorMost} characters.`)
  return text
}
