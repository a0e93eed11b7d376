// Days and times as people write them in a field: dd/mm/yyyy and dd/mm/yyyy HH:mm, and as the API writes them.

const dayFirst = /^(\d{1,2})[-/. ](\d{1,2})[-/. ](\d{4})$/
const noSeparators = /^(\d\d)(\d\d)(\d{4})$/
const yearFirst = /^(\d{4})-(\d{1,2})-(\d{1,2})$/
/** What stands behind the day: a time, as lists show it too ("19/11/2026 | 14:31 Thu"). */
const behindDay = /[ T|]+(\d{1,2}):(\d\d)(?::00)?(?: \p{L}+)?$/u

const two = (text: string) => text.padStart(2, '0')

/** "2026-11-19" of what was typed; undefined while it is no day of the calendar, and '' for nothing. */
export function readTypedDay(typed: string): string | undefined {
  const text = typed.trim()
  if (text === '') return ''
  const [, day, month, year] = dayFirst.exec(text) ?? noSeparators.exec(text) ?? []
  const [, isoYear, isoMonth, isoDay] = yearFirst.exec(text) ?? []
  const iso = `${year ?? isoYear ?? ''}-${two(month ?? isoMonth ?? '')}-${two(day ?? isoDay ?? '')}`
  const date = new Date(`${iso}T00:00:00Z`)
  // 31/02 would be in March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(iso) ? iso : undefined
}

/** "2026-11-19T14:31" of what was typed; a day alone begins at midnight. */
export function readTypedTime(typed: string): string | undefined {
  const text = typed.trim()
  const [behind = '', hour = '0', minute = '00'] = behindDay.exec(text) ?? []
  const day = readTypedDay(text.slice(0, text.length - behind.length))
  if (day === undefined || day === '') return text === '' ? '' : undefined
  return Number(hour) < 24 && Number(minute) < 60 ? `${day}T${two(hour)}:${minute}` : undefined
}

/** "19/11/2026" of "2026-11-19", "19/11/2026 14:31" of "2026-11-19T14:31". */
export function writeTyped(value: string): string {
  const [day = '', time] = value.split('T')
  const [year = '', month, date] = day.split('-')
  const shown = month === undefined ? year : `${date}/${month}/${year}`
  return time === undefined ? shown : `${shown} ${time.slice(0, 5)}`
}
