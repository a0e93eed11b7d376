// Reads one row of a provider's response: its key, its message, or what is wrong with it.
import { hash as digest } from 'node:crypto'
import { readNumber } from '@tollgate/contract/fields.ts'
import { keptText } from '@tollgate/contract/kept-texts.ts'
import type { DeadLetterReason } from '@tollgate/contract/providers/providers.ts'
import { canonicalJson } from '../files/formats/canonical-json.ts'
import { valueAt, type Reading } from './mapping.ts'
import { readTime } from './read-time.ts'
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
  /** What tells a row without an id from others: the fields that make a message, as the provider wrote them. */
  readonly identity: unknown
  /** As the provider wrote them; {@link displayText} prepares them for lists. */
  readonly externalId: string | undefined
  readonly number: string | undefined
  readonly timestamp: unknown
  readonly content: RowMessage | RowFault
}

/** A row with its permanent key. */
export interface KeyedRow extends ParsedRow {
  readonly key: string
}

export const isFault = (content: RowMessage | RowFault): content is RowFault => 'reason' in content

const displayLengthMax = 100
const idLengthMax = 512
const numberLengthMax = 40
const timeLengthMax = 80
const sourceAddressLengthMax = 64
// A record keeps 65,535 bytes of text, and a character may take two.
const textLengthMax = 32_000
// A row far in the future would get a rate that is not in force yet, and would delay the other rows.
export const aheadMaxMs = 15 * 60_000
const earliestMs = Date.UTC(2000, 0, 1)

/** Reads one row. Never throws. */
export function readRow(raw: unknown, reading: Reading, nowMs: number): ParsedRow {
  const { paths } = reading
  const externalId = scalar(valueAt(raw, paths.id))
  return {
    raw,
    key: externalId === undefined || externalId === '' ? undefined : hash('id', externalId),
    identity: identityOf(raw, reading),
    externalId,
    number: scalar(valueAt(raw, paths.number)),
    timestamp: valueAt(raw, paths.timestamp),
    content: readContent(raw, reading, nowMs),
  }
}

/**
 * Not the status, which changes, and no field that is not mapped: a row would be another one, and paid twice, with each
 * change. A row without time and number is no message; it is only itself.
 */
function identityOf(raw: unknown, { paths }: Reading): unknown {
  const fields = [paths.timestamp, paths.number, paths.sender, paths.text].map((path) => {
    const value = valueAt(raw, path)
    return isMissing(value) ? null : (scalar(value) ?? value)
  })
  return fields[0] === null && fields[1] === null ? { row: raw } : fields
}

function readContent(raw: unknown, { paths, timeZone }: Reading, nowMs: number): RowMessage | RowFault {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw))
    return fault('not_a_row', 'It is not an object with fields.')
  const digits = readDigits(valueAt(raw, paths.number))
  if (typeof digits !== 'string') return digits
  const createdAtMs = checkedTime(valueAt(raw, paths.timestamp), timeZone, nowMs)
  if (typeof createdAtMs !== 'number') return createdAtMs
  if (!isId(valueAt(raw, paths.id)))
    return fault(
      'bad_field',
      keptText('Its id is not a text or number of at most {count} characters.', { count: idLengthMax }),
    )
  const sender = textOf(valueAt(raw, paths.sender))?.trim()
  if (sender === undefined || sender.length > sourceAddressLengthMax || /[\p{Cc}\p{Cs}]/u.test(sender))
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

function checkedTime(value: unknown, timeZone: string, nowMs: number): number | RowFault {
  const text = scalar(value)
  const atMs = text === undefined ? undefined : readTime(text.slice(0, timeLengthMax + 1), timeZone)
  if (atMs === undefined)
    return fault(
      'bad_timestamp',
      'Its timestamp is neither a date with a time, such as 2026-11-28T22:47:21Z, nor a count of seconds or milliseconds.',
    )
  if (atMs < earliestMs || atMs > nowMs + aheadMaxMs)
    return fault('bad_timestamp', 'Its timestamp lies in the future, or before the year 2000.')
  return atMs
}

/** A missing id is allowed: the row is then told apart by what makes it a message. */
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

/** 128 bits of SHA-256 as 32 hex digits. */
export function hash(kind: string, text: string): string {
  return digest('sha256', `${kind}\0${text}`, 'hex').slice(0, 32)
}

/** The hash of what tells a row without an id from others, whatever the order of its fields. */
export function rowHash(identity: unknown): string {
  return hash('row', canonicalJson(identity))
}

const hashDigits = 24

/** The key of one of several equal rows: all of them lie side by side, from the first to the {@link lastOrdinal}. */
export function ordinalKey(identityHash: string, ordinal: number): string {
  return identityHash.slice(0, hashDigits) + ordinal.toString(16).padStart(8, '0')
}
export const lastOrdinal = 0xffff_ffff
