// The timestamps of providers: ISO 8601 and its neighbours, the mails' form, counts since 1970, and local times.
import { offsetsOf } from '@tollgate/contract/zones.ts'

const months = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
const isoPattern =
  /^(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,12}))?)?\s?(Z|UTC|GMT|[+-]\d\d(?::?\d\d)?(?: (?:UTC|GMT|[+-]\d\d(?:\d\d)?|[A-Z]{3,5}))?)?$/i
const basicPattern = /^(\d{4})(\d\d)(\d\d)T?(\d\d)(\d\d)(\d\d)(?:[.,](\d{1,12}))?(Z|[+-]\d\d(?::?\d\d)?)?$/i
// RFC 5322 §3.3 and RFC 9110 §5.6.7.
const mailPattern =
  /^(?:[a-z]{3}, )?(\d{1,2}) ([a-z]{3}) (\d{4}) (\d\d):(\d\d)(?::(\d\d))? (Z|UT|UTC|GMT|[+-]\d{4})(?: \([^)]*\))?$/i
// What ASP.NET writes.
const slashPattern = /^\\?\/Date\((-?\d{1,16})(?:[+-]\d{4})?\)\\?\/$/
const countPattern = /^(\d{9,19})(?:\.(\d{1,12}))?$/
const dayMs = 86_400_000

/** Milliseconds since 1970. A time that names no zone is one of `timeZone`; undefined for what is no time. */
export function readTime(text: string, timeZone: string): number | undefined {
  const [, count, part = ''] = countPattern.exec(text) ?? []
  // Fourteen digits are a day and a time: as a count they would be of the year 2612.
  if (count !== undefined && count.length !== 14) return countedMs(count, part)
  const slash = slashPattern.exec(text)?.[1]
  if (slash !== undefined) return Number(slash)
  const parts = partsOf(text)
  const localMs = parts && readLocal(parts)
  if (localMs === undefined) return undefined
  const written = parts?.[7]
  if (written === undefined) return timeZone === 'UTC' ? localMs : inZone(localMs, timeZone)
  const offsetMs = offsetOf(written)
  return offsetMs === undefined ? undefined : localMs - offsetMs
}

/** Year, month, day, hour, minute, second, fraction and zone as they are written. */
function partsOf(text: string): readonly (string | undefined)[] | undefined {
  const [, ...iso] = isoPattern.exec(text) ?? basicPattern.exec(text) ?? []
  if (iso.length > 0) return iso
  const [day = '', month = '', year, hour, minute, second, zone] = mailPattern.exec(text)?.slice(1) ?? []
  if (day === '') return undefined
  return [year, String(months.indexOf(month.toLowerCase()) + 1), day, hour, minute, second, undefined, zone]
}

/** By its digits a count is one of seconds, milliseconds, microseconds or nanoseconds: each is of this century. */
function countedMs(count: string, part: string): number | undefined {
  if (count.length < 12) return Math.floor(Number(`${count}.${part === '' ? '0' : part}`) * 1_000)
  if (count.length < 15) return Number(count)
  if (count.length === 16) return Math.floor(Number(count) / 1_000)
  return count.length === 19 ? Number(BigInt(count) / 1_000_000n) : undefined
}

/** The time of these parts as if it were UTC; undefined for a day or time that does not exist. */
function readLocal(parts: readonly (string | undefined)[]): number | undefined {
  const [year = NaN, month = NaN, day = NaN, hour = NaN, minute = NaN] = parts.slice(0, 5).map(Number)
  const second = Number(parts[5] ?? 0)
  // 24:00 is the end of a day, and a leap second the first one of the next minute.
  // The year 1 is how some languages write that there is no time; JavaScript would read 1901.
  if (year < 100) return undefined
  if (hour * 60 + minute > 1_440 || minute > 59 || second > 60) return undefined
  const atMs = Date.UTC(year, month - 1, day)
  if (new Date(atMs).getUTCMonth() !== month - 1 || day === 0) return undefined
  const ms = Number((parts[6] ?? '').slice(0, 3).padEnd(3, '0'))
  return atMs + ((hour * 60 + minute) * 60 + second) * 1_000 + ms
}

/** The offset of a written zone: `+0200`, `+0000 UTC`, `GMT`. The name behind an offset says nothing more. */
function offsetOf(zone: string): number | undefined {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d)(?::?(\d\d))?/.exec(zone) ?? []
  if (sign === undefined) return 0
  if (Number(hours) > 18 || Number(minutes) > 59) return undefined
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** The instant of a local time: of the hour that comes twice in autumn the first, and of the one that is left out in spring the time an hour on. */
function inZone(localMs: number, timeZone: string): number {
  const aheadMs = offsetsOf(timeZone)
  const before = aheadMs(localMs - dayMs)
  const after = aheadMs(localMs + dayMs)
  const first = localMs - Math.max(before, after)
  if (first + aheadMs(first) === localMs) return first
  const second = localMs - Math.min(before, after)
  return second + aheadMs(second) === localMs ? second : localMs - before
}
