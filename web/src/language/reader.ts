// How the person at the screen reads times and figures. It is set once, before the first screen is drawn.
import type { FigureFormat } from '@tollgate/contract/users/preferences.ts'

interface ReaderFormats {
  readonly timeZone: string
  readonly numberFormat: FigureFormat
}

const utc: ReaderFormats = { timeZone: 'UTC', numberFormat: 'comma' }
let formats = utc

const separators: Readonly<Record<FigureFormat, { group: string; decimal: string }>> = {
  comma: { group: ',', decimal: '.' },
  point: { group: '.', decimal: ',' },
  space: { group: '\u202f', decimal: ',' },
}

// Zones change their offset at whole quarters of an hour.
const quarterMs = 900_000
const offsetsKept = 5_000
const offsets = new Map<number, number>()
let offsetFormat: Intl.DateTimeFormat | undefined

/** Sets time zone and number format; without an argument UTC and commas again. */
export function setReaderFormats(next: ReaderFormats = utc): void {
  formats = next
  offsets.clear()
  offsetFormat =
    next.timeZone === 'UTC'
      ? undefined
      : new Intl.DateTimeFormat('en-US', { timeZone: next.timeZone, timeZoneName: 'longOffset' })
}

/** The zone that times are shown in, as words beside a time: "UTC", "Asia/Jerusalem". */
export function zoneName(): string {
  return formats.timeZone
}

/** The group and decimal separators of figures. */
export function figureSeparators(): { group: string; decimal: string } {
  return separators[formats.numberFormat]
}

function offsetMs(quarter: number, format: Intl.DateTimeFormat): number {
  const known = offsets.get(quarter)
  if (known !== undefined) return known
  const name = format.formatToParts(quarter * quarterMs).find(({ type }) => type === 'timeZoneName')?.value
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(name ?? '') ?? []
  const offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
  if (offsets.size >= offsetsKept) offsets.clear()
  offsets.set(quarter, offset)
  return offset
}

/** A date whose UTC fields are what a clock in the reader's zone shows at this instant. */
export function toWallClock(date: Date): Date {
  if (offsetFormat === undefined) return date
  return new Date(date.getTime() + offsetMs(Math.floor(date.getTime() / quarterMs), offsetFormat))
}

/** For what the platform names in words: months, weekdays, countries. */
export function wordLocale(): string {
  return document.documentElement.lang === 'he' ? 'he' : 'en-GB'
}
