// How the person at the screen reads times and figures. It is set once, before the first screen is drawn.
import type { FigureFormat } from '@tollgate/contract/users/preferences.ts'
import { offsetsOf } from '@tollgate/contract/zones.ts'

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

let offsetAt = offsetsOf('UTC')

/** Sets time zone and number format; without an argument UTC and commas again. */
export function setReaderFormats(next: ReaderFormats = utc): void {
  formats = next
  offsetAt = offsetsOf(next.timeZone)
}

/** The zone that times are shown in, as words beside a time: "UTC", "Asia/Jerusalem". */
export function zoneName(): string {
  return formats.timeZone
}

/** The group and decimal separators of figures. */
export function figureSeparators(): { group: string; decimal: string } {
  return separators[formats.numberFormat]
}

/** A date whose UTC fields are what a clock in the reader's zone shows at this instant. */
export function toWallClock(date: Date): Date {
  return new Date(date.getTime() + offsetAt(date.getTime()))
}

/** For what the platform names in words: months, weekdays, countries. */
export function wordLocale(): string {
  return document.documentElement.lang === 'he' ? 'he' : 'en-GB'
}
