// A time of day as a filter: on each chosen day, the minutes around it. Server and console read it alike.
import { instantOf, offsetsOf } from '../zones.ts'
import type { RecordFilters } from './records.ts'

/** Half-open. */
export interface TimeSpan {
  readonly from: Date
  readonly to: Date
}

/** Minutes before and after the time, where none are chosen. */
const defaultWithin = 15
/** Each day is searched by itself. */
export const timedDaysMax = 31

const dayMs = 86_400_000
const minuteMs = 60_000

type TimeFilter = Pick<RecordFilters, 'time' | 'within' | 'zone' | 'dateFrom' | 'dateTo'>

/**
 * The spans around the time on each day, the newest first; undefined without a time. The days are those of the zone: up to
 * today and from 30 days ago where the filter does not say.
 */
export function timeSpans(filter: TimeFilter, now: Date): readonly TimeSpan[] | undefined {
  const { time, within = defaultWithin, zone = 'UTC' } = filter
  if (time === undefined) return undefined
  const offsetAt = offsetsOf(zone)
  const todayMs = Math.floor((now.getTime() + offsetAt(now.getTime())) / dayMs) * dayMs
  const lastMs = filter.dateTo === undefined ? todayMs : Date.parse(filter.dateTo)
  const firstMs =
    filter.dateFrom === undefined ? lastMs - (timedDaysMax - 1) * dayMs : Date.parse(filter.dateFrom)
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return Array.from({ length: Math.max(0, (lastMs - firstMs) / dayMs + 1) }, (_, back) => {
    const wallMs = lastMs - back * dayMs + (hours * 60 + minutes) * minuteMs
    const atMs = instantOf(wallMs, offsetAt)
    // The minute itself is within.
    return { from: new Date(atMs - within * minuteMs), to: new Date(atMs + (within + 1) * minuteMs) }
  })
}
