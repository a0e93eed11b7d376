// Time zones of the IANA database: what their clocks show, and when their days begin. Server and console read them alike.
import { z } from 'zod'

/** Whether this is the name of a time zone. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/** A reader's time zone, in a query: the days of the filters are its days. UTC by default. */
export const zoneSchema = z
  .string()
  .max(64)
  // PostgreSQL reads the sign of an offset the other way round.
  .refine((name) => /^[a-z]/i.test(name) && isTimeZone(name), 'Enter a time zone such as Asia/Jerusalem')

/** How far the clocks of a zone are ahead of UTC at an instant, in ms. */
type OffsetAt = (atMs: number) => number

// Zones change their offset at whole quarters of an hour.
const quarterMs = 900_000
// Beyond these a caller who names every zone, and every quarter of many years, would fill the memory.
const quartersKept = 5_000
const zonesKept = 50
const known = new Map<string, OffsetAt>()

/** The offsets of a zone. Those that were asked for are kept: asking the platform takes some microseconds. */
export function offsetsOf(zone: string): OffsetAt {
  if (zone === 'UTC') return () => 0
  const made = known.get(zone) ?? newOffsets(zone)
  if (known.size >= zonesKept) known.clear()
  known.set(zone, made)
  return made
}

function newOffsets(zone: string): OffsetAt {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' })
  const kept = new Map<number, number>()
  return (atMs) => {
    const quarter = Math.floor(atMs / quarterMs)
    const offset = kept.get(quarter) ?? readOffset(format, quarter * quarterMs)
    if (kept.size >= quartersKept) kept.clear()
    kept.set(quarter, offset)
    return offset
  }
}

function readOffset(format: Intl.DateTimeFormat, atMs: number): number {
  const name = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')?.value
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d+):(\d+)/.exec(name ?? '') ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** The instant at which the clocks of a zone show this time, which is given as if it were UTC. */
export function instantOf(wallMs: number, offsetAt: OffsetAt): number {
  // The second look is right where the offset changes between the two.
  return wallMs - offsetAt(wallMs - offsetAt(wallMs))
}

/** The first instant of a day, `yyyy-MM-dd`, or of the day `after` days later, by the clocks of a zone. */
export function dayStart(day: string, zone = 'UTC', after = 0): Date {
  const offsetAt = offsetsOf(zone)
  const wallMs = Date.parse(day) + after * 86_400_000
  const atMs = instantOf(wallMs, offsetAt)
  // Some zones leave out the hour after midnight in spring.
  return new Date(atMs + offsetAt(atMs) < wallMs ? wallMs - offsetAt(wallMs) : atMs)
}
