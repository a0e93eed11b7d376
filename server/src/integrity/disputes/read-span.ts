// A span of time as carriers write it. Without a zone it is in UTC.

interface Span {
  readonly from: Date
  /** The first moment after it. */
  readonly until: Date
}

const pattern =
  /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2})(:\d{2}(?:\.\d{1,6})?)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?)?$/i

/** The moment and how much time it names: a day, a minute or a second. */
function readMoment(text: string): { readonly at: number; readonly lasts: number } | undefined {
  const [, day, minute, second, zone = 'Z'] = pattern.exec(text.trim()) ?? []
  if (day === undefined) return undefined
  const offset = /^(?:z|utc)$/i.test(zone) ? 'Z' : zone.replace(/^(.\d{2}):?/, '$1:')
  const at = Date.parse(`${day}T${minute ?? '00:00'}${second ?? ':00'}${offset}`)
  // 30 February is no day, though Date.parse knows what follows February.
  const isDay = !Number.isNaN(Date.parse(day)) && new Date(`${day}T00:00Z`).toISOString().startsWith(day)
  if (Number.isNaN(at) || !isDay) return undefined
  return { at, lasts: minute === undefined ? 86_400_000 : second === undefined ? 60_000 : 1_000 }
}

/**
 * From the first moment to behind the last one: `2026-03-04` to `2026-03-05` are two days, `12:00` alone is a minute.
 * Undefined when one cannot be read, or the end is before the beginning.
 */
export function readSpan(from: string, to: string): Span | undefined {
  const start = readMoment(from)
  const end = to === '' ? start : readMoment(to)
  if (start === undefined || end === undefined || end.at < start.at) return undefined
  return { from: new Date(start.at), until: new Date(end.at + end.lasts) }
}
