// What the SMS Records page keeps in its address, and the API filters made from it.
import { recordFilters, reportGroups, type RecordFilters } from '@tollgate/contract/records/records.ts'
import { z } from 'zod'

const day = z.iso.date().catch('')
const word = z.string().max(100).catch('')

export const recordsSearch = z.object({
  dateFrom: day,
  dateTo: day,
  range: word,
  client: word,
  search: word,
  status: recordFilters.shape.status.unwrap().catch('all'),
  gateway: word,
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
  const { search, dateFrom, dateTo, status, client, range, gateway, number, country, hour } = state
  const { period, rate, rateId, settlement, hold, late, unowned, test, correction } = state
  const chosen = {
    search,
    dateFrom,
    dateTo,
    status: status === 'all' ? '' : status,
    client,
    range,
    gateway,
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
  return Object.fromEntries(Object.entries(chosen).filter(([, value]) => value !== ''))
}
