// Reads one row of a provider's response: its key, its message, or what is wrong with it.
import { hash as digest } from 'node:crypto'
import { readNumber } from '@tollgate/contract/fields.ts'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { DeadLetterReason } from '@tollgate/contract/providers/providers.ts'
import { canonicalJson } from '../files/formats/canonical-json.ts'
import { valueAt, type Paths } from './mapping.ts'
import { reportCode } from './report-codes.ts'

/** A row's content, checked. */
export interface RowMessage {
  readonly createdAtMs: number
  readonly digits: string
  readonly sender: string
  readonly text: string
  readonly noReport: number
}

export interface RowFault {
  readonly reason: DeadLetterReason
  readonly explanation: string
}

export interface ParsedRow {
  /** The row as the provider sent it. */
  readonly raw: unknown
  /** The hash of its id, if it has one: the same whenever the row comes again. 32 hex digits. */
  readonly key: string | undefined
  /** As the provider wrote them; {@link displayText} prepares them for lists. */
  readonly externalId: string | undefined
  readonly number: string | undefined
  readonly timestamp: unknown
  readonly content: RowMessage | RowFault
}

export const isFault = (content: RowMessage | RowFault): content is RowFault => 'reason' in content

const displayLengthMax = 100
const idLengthMax = 512
const numberLengthMax = 40
const sourceAddressLengthMax = 64
// A record keeps 65,535 bytes of text, and a character may take two.
const textLengthMax = 32_000
// A row far in the future would get a rate that is not in force yet, and would delay the other rows.
const aheadMaxMs = 15 * 60_000
const earliestMs = Date.UTC(2000, 0, 1)

/** Reads one row. Never throws. */
export function readRow(raw: unknown, paths: Paths, nowMs: number): ParsedRow {
  const externalId = scalar(valueAt(raw, paths.id))
  return {
    raw,
    key: externalId === undefined || externalId === '' ? undefined : hash('id', externalId),
    externalId,
    number: scalar(valueAt(raw, paths.number)),
    timestamp: valueAt(raw, paths.timestamp),
    content: readContent(raw, paths, nowMs),
  }
}

function readContent(raw: unknown, paths: Paths, nowMs: number): RowMessage | RowFault {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return fault('not_a_row', 'It is not an object with fields.')
  const digits = readDigits(valueAt(raw, paths.number))
  if (typeof digits !== 'string') return digits
  const createdAtMs = checkedTime(valueAt(raw, paths.timestamp), nowMs)
  if (typeof createdAtMs !== 'number') return createdAtMs
  if (!isId(valueAt(raw, paths.id)))
    return fault(
      'bad_field',
      keptText('Its id is not a text or number of at most {count} characters.', { count: idLengthMax }),
    )
  const sender = textOf(valueAt(raw, paths.sender))?.trim()
  if (sender === undefined || sender.length > sourceAddressLengthMax || /\p{Cc}/u.test(sender))
    return fault(
      'bad_field',
      keptText('Its sender is not a line of at most {count} characters.', { count: sourceAddressLengthMax }),
    )
  const text = textOf(valueAt(raw, paths.text))
  if (text === undefined || text.length > textLengthMax)
    return fault(
      'bad_field',
      keptText('Its text is not a text of at most {count} characters.', { count: textLengthMax }),
    )
  return { createdAtMs, digits, sender, text, noReport: reportCode(valueAt(raw, paths.status)) }
}

function readDigits(value: unknown): string | RowFault {
  const number = scalar(value)
  if (number === undefined || number === '') return fault('bad_number', 'It has no number.')
  const digits = readNumber(number.slice(0, numberLengthMax + 1))
  if (number.length > numberLengthMax || digits === undefined)
    return fault('bad_number', 'Its number is neither an international one nor a short code.')
  return digits
}

function checkedTime(value: unknown, nowMs: number): number | RowFault {
  const atMs = readTime(value)
  if (atMs === undefined)
    return fault('bad_timestamp', 'Its timestamp is neither ISO 8601 nor a count of seconds or milliseconds.')
  if (atMs < earliestMs || atMs > nowMs + aheadMaxMs)
    return fault('bad_timestamp', 'Its timestamp lies in the future, or before the year 2000.')
  return atMs
}

/** A missing id is allowed: the row is then identified by its whole content. */
function isId(value: unknown): boolean {
  return isMissing(value) || (scalar(value)?.length ?? idLengthMax + 1) <= idLengthMax
}

const fault = (reason: DeadLetterReason, explanation: string): RowFault => ({ reason, explanation })
const isMissing = (value: unknown) => value === undefined || value === null || value === ''

/** A text or a number as text; undefined for anything else. */
function scalar(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trim()
  return typeof value === 'number' ? String(value) : undefined
}

/** The same, but a missing value is an empty text. */
function textOf(value: unknown): string | undefined {
  if (isMissing(value)) return ''
  return typeof value === 'string' ? value : scalar(value)
}

/** A value for lists: one line, at most 100 characters. */
export function displayText(value: unknown): string {
  return (scalar(value) ?? '').replace(/\p{Cc}/gu, ' ').slice(0, displayLengthMax)
}

const isoPattern = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?)\s?(Z|[+-]\d\d(?::?\d\d)?)?$/i
// Smaller counts are seconds: this one is the year 5138 in seconds, and 1973 in milliseconds.
const millisecondsFrom = 100_000_000_000

/** Milliseconds since 1970. A time without a zone is UTC. */
function readTime(value: unknown): number | undefined {
  const text = scalar(value)
  if (text === undefined) return undefined
  if (/^\d{9,14}(\.\d+)?$/.test(text)) {
    const count = Number(text)
    return Math.floor(count < millisecondsFrom ? count * 1_000 : count)
  }
  const [, day, time, zone = 'Z'] = isoPattern.exec(text) ?? []
  if (day === undefined || time === undefined) return undefined
  const clean = /^[+-]\d\d$/.test(zone) ? `${zone}:00` : zone.replace(/^([+-]\d\d)(\d\d)$/, '$1:$2')
  const at = Date.parse(`${day}T${time.replace(',', '.')}${clean.toUpperCase()}`)
  return Number.isNaN(at) ? undefined : at
}

/** 128 bits of SHA-256 as 32 hex digits. */
export function hash(kind: string, text: string): string {
  return digest('sha256', `${kind}\0${text}`, 'hex').slice(0, 32)
}

/** The hash of a row without an id: of its whole content, whatever the order of its fields. */
export function rowHash(raw: unknown): string {
  return hash('row', canonicalJson(raw))
}

/** The key of one of several equal rows. */
export function ordinalKey(wholeHash: string, ordinal: number): string {
  return hash('ordinal', `${wholeHash} ${ordinal}`)
}
