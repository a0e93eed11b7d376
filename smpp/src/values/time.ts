// SMPP 3.4 §7.1.1: "YYMMDDhhmmsstnnp", absolute (p is + or -) or relative (p is R).

type SmppTime =
  | { kind: 'none' }
  | { kind: 'absolute'; atMs: number }
  | { kind: 'relative'; years: number; months: number; days: number; durationMs: number }
  | { kind: 'invalid' }

const shape = /^(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})(\d)(\d{2})([+\-R])$/
const quarterHourMs = 15 * 60_000

/** Reads a time field: '' is none; absolute times give epoch ms (UTC); never throws. */
export function parseTime(text: string): SmppTime {
  if (text === '') return { kind: 'none' }
  const match = shape.exec(text)
  if (match === null) return { kind: 'invalid' }
  const part = (index: number): number => Number(match[index])
  const years = part(1)
  const months = part(2)
  const days = part(3)
  const clockMs = ((part(4) * 60 + part(5)) * 60 + part(6)) * 1000
  if (part(4) > 23 || part(5) > 59 || part(6) > 59) return { kind: 'invalid' }
  if (match[9] === 'R') {
    // §7.1.1.2: the last three digits of a relative time are "000".
    if (part(7) !== 0 || part(8) !== 0 || months > 12 || days > 31) return { kind: 'invalid' }
    return { kind: 'relative', years, months, days, durationMs: clockMs }
  }
  if (part(8) > 48) return { kind: 'invalid' }
  const midnightMs = Date.UTC(2000 + years, months - 1, days)
  const date = new Date(midnightMs)
  if (date.getUTCMonth() !== months - 1 || date.getUTCDate() !== days) return { kind: 'invalid' }
  // nn counts quarter hours that local time is ahead (+) of UTC.
  const offsetMs = part(8) * quarterHourMs * (match[9] === '+' ? 1 : -1)
  return { kind: 'absolute', atMs: midnightMs + clockMs + part(7) * 100 - offsetMs }
}

/** When a time field points to, in epoch ms; undefined for none or an invalid one. Calendar months are kept. */
export function timeToMs(text: string, nowMs: number): number | undefined {
  const time = parseTime(text)
  if (time.kind === 'absolute') return time.atMs
  if (time.kind !== 'relative') return undefined
  const date = new Date(nowMs)
  date.setUTCFullYear(
    date.getUTCFullYear() + time.years,
    date.getUTCMonth() + time.months,
    date.getUTCDate() + time.days,
  )
  return date.getTime() + time.durationMs
}

/** Writes an instant as an absolute UTC time, to the tenth of a second. */
export function formatAbsoluteTime(atMs: number): string {
  const digits = new Date(atMs).toISOString().replace(/\D/g, '')
  return `${digits.slice(2, 15)}00+`
}
