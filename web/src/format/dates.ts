// Formats of times, in the reader's zone. Spec §2: dd/mm/yyyy | HH:mm with a short weekday. Billing periods are in UTC, and
// a day without a time is the same in each zone.
import { toWallClock, wordLocale } from '../language/reader.ts'
import { leftToRight, t } from '../language/t.ts'
import { setLaterFormat } from './sentences.ts'

const weekdays = [t('Sun'), t('Mon'), t('Tue'), t('Wed'), t('Thu'), t('Fri'), t('Sat')] as const
const longDay = new Intl.DateTimeFormat(wordLocale(), {
  weekday: 'long',
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

type Instant = Date | string | number

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function read(instant: Instant | null | undefined): Date | undefined {
  if (instant == null || instant === '') return undefined
  const date = new Date(instant)
  return Number.isNaN(date.getTime()) ? undefined : date
}

const isDayOnly = (instant: Instant | null | undefined): boolean =>
  typeof instant === 'string' && /^\d{4}-\d\d-\d\d$/.test(instant)

function write(instant: Instant | null | undefined, pattern: (date: Date) => string): string {
  if (isDayOnly(instant)) return writeUtc(instant, pattern)
  const date = read(instant)
  return date ? pattern(toWallClock(date)) : '–'
}

function writeUtc(instant: Instant | null | undefined, pattern: (date: Date) => string): string {
  const date = read(instant)
  return date ? pattern(date) : '–'
}

function day(date: Date, separator: string): string {
  return [two(date.getUTCDate()), two(date.getUTCMonth() + 1), String(date.getUTCFullYear())].join(separator)
}

function clock(date: Date): string {
  return `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`
}

/** "19/11/2026"; "–" when there is no time. A day alone ("2026-11-19") stays that day, also west of Greenwich. */
export function formatDay(instant: Instant | null | undefined): string {
  return write(instant, (date) => day(date, '/'))
}

/** "14:31". */
export function formatMinute(instant: Instant | null | undefined): string {
  return write(instant, clock)
}

/** "14:31:58", for columns in a monospaced font. */
export function formatSecond(instant: Instant | null | undefined): string {
  return write(instant, (date) => `${clock(date)}:${two(date.getUTCSeconds())}`)
}

/** "14:31:58.102". */
export function formatMillisecond(instant: Instant | null | undefined): string {
  return write(
    instant,
    (date) =>
      `${clock(date)}:${two(date.getUTCSeconds())}.${String(date.getUTCMilliseconds()).padStart(3, '0')}`,
  )
}

/** "Thu". */
export function formatWeekday(instant: Instant | null | undefined): string {
  return write(instant, (date) => weekdays[date.getUTCDay()] ?? '')
}

/** "19/11/2026 | 14:31 Thu". */
export function formatDateTime(instant: Instant | null | undefined): string {
  return write(instant, (date) => `${day(date, '/')} | ${clock(date)} ${weekdays[date.getUTCDay()] ?? ''}`)
}

/** "16/11/2026 00:00" in UTC, for the start and end of a period. */
export function formatEdge(instant: Instant | null | undefined): string {
  return writeUtc(instant, (date) => `${day(date, '/')} ${clock(date)}`)
}

/** "09/11/2026 – 16/11/2026" in UTC, end exclusive. */
export function formatPeriod(start: Instant | null | undefined, end: Instant | null | undefined): string {
  const edge = (instant: Instant | null | undefined) => writeUtc(instant, (date) => day(date, '/'))
  return `${edge(start)} – ${edge(end)}`
}

/** An hour of the API's filters, `2026-11-19T08`: "19/11/2026 08:00" in UTC. */
export function formatUtcHour(hour: string): string {
  return formatEdge(`${hour}:00:00Z`)
}

/** "Thursday 19 November 2026". */
export function formatLongDay(instant: Instant): string {
  return write(instant, (date) => longDay.format(date).replace(',', ''))
}

/** The two halves of the sidebar clock: "19-11-2026" and "14:32 Thu". Spec §2. */
export function formatClock(instant: Instant): { date: string; time: string } {
  return {
    date: write(instant, (date) => day(date, '-')),
    time: write(instant, (date) => `${clock(date)} ${weekdays[date.getUTCDay()] ?? ''}`),
  }
}

/** "2026-11-19": a day in UTC, as the API's filters take it. */
export function toDayInput(instant: Instant): string {
  return writeUtc(instant, (date) => date.toISOString().slice(0, 10))
}

const units = [
  { ms: 86_400_000, letter: t('d') },
  { ms: 3_600_000, letter: t('h') },
  { ms: 60_000, letter: t('min') },
  { ms: 1_000, letter: t('s') },
] as const

/** The two largest units of a span: "3 d 9 h", "4 min 10 s", "6 s". A span below a second reads "0 s". */
export function formatDuration(spanMs: number): string {
  const whole = Math.max(0, spanMs)
  const first = units.findIndex((unit) => whole >= unit.ms)
  const [large, small] = first === -1 ? units.slice(-1) : units.slice(first, first + 2)
  if (!large) return t('0 s')
  const count = Math.floor(whole / large.ms)
  const rest = small ? Math.floor((whole % large.ms) / small.ms) : 0
  return small && rest > 0 ? `${count} ${large.letter} ${rest} ${small.letter}` : `${count} ${large.letter}`
}

/** "19/11/2026 14:32:05": a time that may be on another day. */
export function formatInstant(instant: Instant | null | undefined): string {
  const date = read(instant)
  return date ? `${formatDay(date)} ${formatSecond(date)}` : '–'
}

/** "6 s ago": the largest unit of the elapsed time. A time in the future reads "0 s ago". */
export function formatAge(instant: Instant | null | undefined, now: number): string {
  const date = read(instant)
  if (!date) return '–'
  const age = formatDuration(now - date.getTime())
  return t('{age} ago', { age: age.split(' ').slice(0, 2).join(' ') })
}

setLaterFormat((value) => {
  if ('day' in value) return formatDay(value.day)
  if ('time' in value) return formatMinute(value.time)
  if ('at' in value) return formatDateTime(value.at)
  const name = new Intl.DisplayNames([wordLocale()], { type: 'region' }).of(value.country)
  return `${name ?? value.country} (${leftToRight(value.diallingCode)})`
})
