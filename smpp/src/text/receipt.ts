// Delivery receipt text (SMPP 3.4 Appendix B). The standard leaves it to the vendor, so reading is tolerant
// and writing keeps to the printed form.

import { messageState } from '../values/message-state.ts'

/** The seven-letter words of Appendix B by message_state (§5.2.28). */
export const stateNames = {
  ENROUTE: messageState.ENROUTE,
  DELIVRD: messageState.DELIVERED,
  EXPIRED: messageState.EXPIRED,
  DELETED: messageState.DELETED,
  UNDELIV: messageState.UNDELIVERABLE,
  ACCEPTD: messageState.ACCEPTED,
  UNKNOWN: messageState.UNKNOWN,
  REJECTD: messageState.REJECTED,
} as const

export type StateName = keyof typeof stateNames

/** The word of a message_state; undefined for one that Appendix B does not have. */
export function stateName(state: number | undefined): StateName | undefined {
  return (Object.keys(stateNames) as StateName[]).find((name) => stateNames[name] === state)
}

interface ReceiptFields {
  /** The message_id that was acknowledged. */
  readonly id: string
  readonly submittedCount?: number | undefined
  readonly deliveredCount: number
  readonly submittedAt: Date
  readonly doneAt: Date
  readonly state: StateName
  /** Network error, 0–999; 0 for none. */
  readonly errorCode: number
  /** The message; its first 20 characters are quoted. Leave it empty to keep the text private. */
  readonly text?: string | undefined
}

/**
 * The text of a receipt, ASCII only, times in UTC: `id: sub: dlvrd: submit date: done date: stat: err: text:`.
 * Peers compare it octet by octet as ASCII, so send it as it is, not in the GSM alphabet.
 * Throws RangeError for an invalid Date.
 */
export function formatReceipt(receipt: ReceiptFields): string {
  const printable = (receipt.text ?? '').replace(/[^\x20-\x7e]/gu, '?')
  return [
    `id:${receipt.id}`,
    `sub:${threeDigits(receipt.submittedCount ?? 1)}`,
    `dlvrd:${threeDigits(receipt.deliveredCount)}`,
    `submit date:${minuteOf(receipt.submittedAt)}`,
    `done date:${minuteOf(receipt.doneAt)}`,
    `stat:${receipt.state}`,
    `err:${threeDigits(receipt.errorCode)}`,
    `text:${printable.slice(0, 20)}`,
  ].join(' ')
}

function threeDigits(count: number): string {
  return String(Math.min(Math.max(Math.trunc(count), 0), 999)).padStart(3, '0')
}

// YYMMDDhhmm.
function minuteOf(time: Date): string {
  return time.toISOString().replace(/\D/g, '').slice(2, 12)
}

interface ReceiptParameters {
  /** receipted_message_id, 0x001E (§5.3.2.12). */
  readonly receiptedMessageId?: string | undefined
  /** message_state, 0x0427 (§5.3.2.35). */
  readonly messageState?: number | undefined
}

export interface ParsedReceipt {
  readonly id: string | undefined
  /** message_state 1–8, or undefined when the receipt has no known one. */
  readonly state: number | undefined
  /** The word as sent, when there was one. */
  readonly stateText: string | undefined
  readonly submittedCount: number | undefined
  readonly deliveredCount: number | undefined
  readonly submittedAt: Date | undefined
  readonly doneAt: Date | undefined
  /** As sent: mostly three digits, but some SMSCs send hexadecimal or words. */
  readonly error: string | undefined
  readonly text: string | undefined
}

// No receipt is longer; the limit also bounds the cost of reading a 64 KiB payload.
const receiptTextMax = 2000
const fieldPattern = /(?:^|[\s,;])(id|sub|dlvrd|submit[ _]?date|done[ _]?date|stat|err|text)\s?:/gi

/**
 * Reads a receipt. Never throws; undefined when neither text nor parameters name a message or a state.
 * Fields may be missing, in any order and any case. Of a repeated field the first counts, and nothing after `text:` is
 * read as a field, so a quoted message cannot forge one. The parameters win over the text. Dates have no zone:
 * `utcOffsetMinutes` is that of the SMSC (0 = UTC; east positive).
 */
export function parseReceipt(
  text: string,
  parameters: ReceiptParameters = {},
  utcOffsetMinutes = 0,
): ParsedReceipt | undefined {
  const fields = readFields(text.slice(0, receiptTextMax))
  const stateText = fields.get('stat') ?? bareWord(text)
  const id = nonEmpty(parameters.receiptedMessageId) ?? fields.get('id')
  const state = knownState(parameters.messageState) ?? stateOf(stateText)
  if (id === undefined && state === undefined && stateText === undefined) return undefined
  return {
    id,
    state,
    stateText,
    submittedCount: countOf(fields.get('sub')),
    deliveredCount: countOf(fields.get('dlvrd')),
    submittedAt: timeOf(firstToken(fields.get('submitdate')), utcOffsetMinutes),
    doneAt: timeOf(firstToken(fields.get('donedate')), utcOffsetMinutes),
    error: fields.get('err'),
    text: fields.get('text'),
  }
}

function readFields(text: string): Map<string, string> {
  const fields = new Map<string, string>()
  const marks = [...text.matchAll(fieldPattern)]
  for (const [index, mark] of marks.entries()) {
    const name = (mark[1] ?? '').toLowerCase().replace(/[ _]/g, '')
    const start = mark.index + mark[0].length
    const end = name === 'text' ? text.length : (marks[index + 1]?.index ?? text.length)
    const value = nonEmpty(text.slice(start, end))
    if (value !== undefined && !fields.has(name)) fields.set(name, value)
    if (name === 'text') break
  }
  return fields
}

const firstToken = (value: string | undefined) => value?.split(/\s/, 1)[0]

// SMSCs fill fixed fields with spaces or NULs.
function nonEmpty(value: string | undefined): string | undefined {
  const trimmed = value?.replaceAll('\0', ' ').trim()
  return trimmed === '' ? undefined : trimmed
}

function knownState(state: number | undefined): number | undefined {
  return state !== undefined && state >= messageState.ENROUTE && state <= messageState.REJECTED
    ? state
    : undefined
}

// Words that Kannel knows beside those of Appendix B.
const vendorWords: Readonly<Record<string, number>> = {
  ACKED: messageState.ACCEPTED,
  BUFFRED: messageState.ENROUTE,
  BUFFERD: messageState.ENROUTE,
}

// A word that stands without its "stat:", as between two other fields; not one of the quoted message.
function bareWord(text: string): string | undefined {
  const head = text.slice(0, receiptTextMax).split(/(?:^|[\s,;])text\s?:/i, 1)[0] ?? ''
  return head.match(
    /(?:^|[\s,;])(ENROUTE|DELIVRD|EXPIRED|DELETED|UNDELIV|ACCEPTD|UNKNOWN|REJECTD)(?=[\s,;]|$)/,
  )?.[1]
}

// Some SMSCs write the words in full; the first five letters are different for all of them.
function stateOf(word: string | undefined): number | undefined {
  if (word === undefined) return undefined
  const own = vendorWords[word.toUpperCase()]
  if (own !== undefined) return own
  const stem = word.toUpperCase().slice(0, 5)
  return Object.entries(stateNames).find(([known]) => stem.length === 5 && known.startsWith(stem))?.[1]
}

function countOf(value: string | undefined): number | undefined {
  return value !== undefined && /^\d{1,9}$/.test(value) ? Number(value) : undefined
}

// YYMMDDhhmm as printed; many SMSCs add seconds, some write the century.
const timePatterns = [/^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/, /^20(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)?$/]

function timeOf(value: string | undefined, utcOffsetMinutes: number): Date | undefined {
  for (const pattern of timePatterns) {
    const match = pattern.exec(value ?? '')
    const time = match === null ? undefined : realTime(match.slice(1).map((digits) => Number(digits ?? 0)))
    if (time !== undefined) return new Date(time.getTime() - utcOffsetMinutes * 60_000)
  }
  return undefined
}

// Undefined for a date or an hour that does not exist, which Date.UTC would silently carry over.
function realTime(fields: readonly number[]): Date | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = fields
  const time = new Date(Date.UTC(2000 + year, month - 1, day, hour, minute, second))
  const isReal = time.getUTCMonth() === month - 1 && time.getUTCDate() === day && time.getUTCHours() === hour
  return isReal && minute < 60 && second < 60 ? time : undefined
}
