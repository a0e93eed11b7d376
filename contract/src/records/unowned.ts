// Messages to numbers that nobody held: what they would have earned, and where to look for the holder.
import { z } from 'zod'
import { daySchema } from '../fields.ts'
import { routes } from '../route.ts'

export const unownedGroups = ['number', 'range', 'gateway', 'day'] as const
export type UnownedGroup = (typeof unownedGroups)[number]

const unownedQuery = z.object({
  /** UTC days, both included; the last 30 days unless said. */
  dateFrom: daySchema.optional(),
  dateTo: daySchema.optional(),
  groupBy: z.enum(unownedGroups).default('number'),
})

const sums = {
  smsCount: z.int(),
  /** The callers' tariff, shekels. */
  bill: z.string(),
  /** What a holder without a rate of his own would have earned, at the prices of their time, USD. */
  amountUsd: z.string(),
  /** Those that nobody was credited with since, by backdating. */
  openCount: z.int(),
  openAmountUsd: z.string(),
}

const unownedReportSchema = z.object({
  dateFrom: z.string(),
  dateTo: z.string(),
  total: z.object(sums),
  /** The 500 with the largest open amounts; by day, the newest first. */
  rows: z.array(
    z.object({
      /** The number, range, gateway or day; empty: in no range. */
      group: z.string(),
      ...sums,
      firstAt: z.string(),
      lastAt: z.string(),
      /** Exactly these messages, as a path of the records list; empty where no filter names them. */
      recordsUrl: z.string(),
    }),
  ),
  /** Whether there are more rows; the export has all. */
  isCut: z.boolean(),
})
export type UnownedReport = z.infer<typeof unownedReportSchema>

export const unownedRoutes = routes({
  reportUnowned: {
    method: 'GET',
    path: '/api/records/unowned',
    summary: 'Messages to numbers that nobody held, with their value, grouped.',
    access: 'paymentManagement',
    query: unownedQuery,
    response: unownedReportSchema,
    isHeavy: true,
  },
  exportUnowned: {
    method: 'GET',
    path: '/api/records/unowned/export',
    summary: 'All rows of that report as CSV.',
    access: 'paymentManagement',
    query: unownedQuery,
    stream: 'csv',
    isHeavy: true,
  },
})
