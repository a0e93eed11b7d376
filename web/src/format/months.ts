import { wordLocale } from '../language/reader.ts'

const month = new Intl.DateTimeFormat(wordLocale(), { month: 'long', timeZone: 'UTC' })

/** "January" for 0. */
export function monthName(index: number): string {
  return month.format(Date.UTC(2026, index, 1))
}
