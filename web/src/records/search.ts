// What the SMS Records page keeps in its address, and the API filters made from it.
import { recordFilters, reportGroups, type RecordFilters } from '@tollgate/contract/records/records.ts'
import { z } from 'zod'
import { zoneName } from '../language/reader.ts'

const day = z.iso.date().catch('')
const word = z.string().max(100).catch('')

export const recordsSearch = z.object({
  dateFrom: day,
  dateTo: day,
  /** What a link from a figure of UTC days adds. By default days are those of the reader's zone. */
  zone: z.enum(['', 'UTC']).catch(''),
  /** A time of day in the reader's zone, `14:05`, and the minutes around it. */
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/)
    .catch(''),
  within: z.enum(['5', '15', '60']).catch('15'),
  range: word,
  client: word,
  search: word,
  status: recordFilters.shape.status.unwrap().catch('all'),
  gateway: word,
  sender: word,
  number: word,
  country: word,
  /** One hour in UTC, `2026-11-19T08`. */
  hour: z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d$/)
    .catch(''),
  /** What a link from a figure of a bill adds. */
  period: word,
  rate: word,
  rateId: word,
  settlement: recordFilters.shape.settlement.unwrap().or(z.literal('')).catch(''),
  hold: recordFilters.shape.hold.unwrap().or(z.literal('')).catch(''),
  late: z.enum(['', 'true', 'false']).catch(''),
  unowned: z.enum(['', 'true']).catch(''),
  /** What a link from a figure of the traffic adds: it counts no tests. */
  test: z.enum(['', 'true', 'false']).catch(''),
  correction: word,
  order: z.enum(['asc', 'desc']).catch('desc'),
  /** The record in the drawer. */
  open: word,
  /** The record whose printable report is shown. */
  print: word,
  /** The grouped report that is shown. */
  report: z.enum([...reportGroups, 'none']).catch('none'),
})
export type RecordsSearch = z.output<typeof recordsSearch>

/** The filters for the API. Unset filters are left out (Spec §7). */
export function toFilters(state: RecordsSearch): RecordFilters {
  const { search, dateFrom, dateTo, time, status, client, range, gateway, sender, number, country, hour } =
    state
  const { period, rate, rateId, settlement, hold, late, unowned, test, correction } = state
  const chosen = {
    search,
    dateFrom,
    dateTo,
    status: status === 'all' ? '' : status,
    client,
    range,
    gateway,
    sender,
    number,
    country,
    hour,
    period,
    rate,
    rateId,
    settlement,
    hold,
    late,
    unowned,
    test,
    correction,
  }
  return {
    ...Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== '')),
    ...(time !== '' && { time, within: Number(state.within) }),
    ...(time === '' && ((dateFrom === '' && dateTo === '') || dayZoneOf(state) === 'UTC')
      ? {}
      : { zone: dayZoneOf(state) }),
  }
}

/** The zone of the days and of the time of day. */
export function dayZoneOf({ zone }: Pick<RecordsSearch, 'zone'>): string {
  return zone === '' ? zoneName() : zone
}

/** `14:05` of what people type: 14:05, 14.05, 1405, 9:05, 14; empty for nothing, undefined for no time of day. */
export function readTime(text: string): string | undefined {
  if (text.trim() === '') return ''
  const [, hours = '', minutes = '00'] = /^\s*(\d{1,2})(?:[:.h ]?([0-5]\d))?\s*$/.exec(text) ?? []
  return hours === '' || Number(hours) > 23 ? undefined : `${hours.padStart(2, '0')}:${minutes}`
}
