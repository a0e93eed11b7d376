// Analytics: what came in a period, by one or two dimensions, from counters.
import { z } from 'zod'
import { sentence, type Words } from '../sentences.ts'
import { daySchema, idSchema, lineSchema, okSchema } from '../fields.ts'
import { recordFilters } from '../records/records.ts'
import { routes } from '../route.ts'

export const analyticsSteps = ['hour', 'day', 'week', 'month'] as const

export const analyticsDimensions = [
  ...analyticsSteps,
  'range',
  'number',
  'country',
  'client',
  'gateway',
  'status',
] as const
export type AnalyticsDimension = (typeof analyticsDimensions)[number]

/** The days of today and before it of which hours are kept. */
export const analyticsHourDays = 14

export const analyticsSorts = ['group', 'count', 'success', 'bill', 'earned'] as const
export type AnalyticsSort = (typeof analyticsSorts)[number]

const figures = {
  count: z.int(),
  /** Completed or reported; null where numbers are told apart, of which no states are counted. */
  delivered: z.int().nullable(),
  /** Shekels. */
  bill: z.string(),
  amountUsd: z.string(),
}

const { status, client, range, gateway, country } = recordFilters.shape

const analyticsSchema = z.object({
  total: z.object(figures),
  /** At most 1,000; without `sort` by time the oldest first, else the largest count first. */
  rows: z.array(
    z.object({
      /**
       * The name or, of a time, its begin in UTC: `2026-11-19T08`, `2026-11-19`, a week's Monday, `2026-11`. Empty: of no
       * range, number, country or client.
       */
      group: z.string(),
      /** The second dimension's; null without one. */
      second: z.string().nullable(),
      ...figures,
    }),
  ),
  /** How many rows there are beyond those. */
  left: z.int(),
})
export type AnalyticsReport = z.infer<typeof analyticsSchema>

/** The period, the filters and the dimensions of one look at the traffic. */
const analyticsQuery = z.object({
  /** UTC days, both included. */
  dateFrom: daySchema,
  dateTo: daySchema,
  status,
  client,
  range,
  gateway,
  country,
  by: z.enum(analyticsDimensions).default('day'),
  andBy: z.enum(analyticsDimensions).optional(),
  /** By this figure instead. */
  sort: z.enum(analyticsSorts).optional(),
  order: z.enum(['asc', 'desc']).optional(),
})
export type AnalyticsQuery = z.infer<typeof analyticsQuery>

const dayMs = 86_400_000
export const analyticsDaysMax = 800

/** Why the groups of such a look cannot be told, in words for a person and the field to change; undefined when they can. */
export function analyticsRefusal(
  {
    dateFrom,
    dateTo,
    status,
    by,
    andBy,
  }: Pick<AnalyticsQuery, 'dateFrom' | 'dateTo' | 'status' | 'by' | 'andBy'>,
  now: Date,
): { readonly message: Words; readonly field: keyof AnalyticsQuery; readonly hint: Words } | undefined {
  const chosen = [by, ...(andBy === undefined ? [] : [andBy])]
  if (by === andBy)
    return { message: 'Choose two different ways to group.', field: 'andBy', hint: 'Choose another one' }
  if ((Date.parse(dateTo) - Date.parse(dateFrom)) / dayMs + 1 > analyticsDaysMax)
    return {
      message: sentence('Choose at most {count} days at once.', { count: analyticsDaysMax }),
      field: 'dateFrom',
      hint: 'Choose fewer days',
    }
  const today = Math.floor(now.getTime() / dayMs) * dayMs
  if (chosen.includes('hour') && Date.parse(dateFrom) < today - analyticsHourDays * dayMs)
    return {
      message: sentence('Hours are kept for {count} days. Choose days instead.', {
        count: analyticsHourDays,
      }),
      field: 'dateFrom',
      hint: sentence('Not before the last {count} days', { count: analyticsHourDays }),
    }
  const hasStates = chosen.includes('status') || (status !== undefined && status !== 'all')
  if (chosen.includes('number') && (hasStates || chosen.includes('hour')))
    return {
      message: 'Numbers are counted by day, without states. Remove the status or the hour.',
      field: 'andBy',
      hint: 'Not together with numbers',
    }
  return undefined
}

export const mailRhythms = ['day', 'week', 'month'] as const
export type MailRhythm = (typeof mailRhythms)[number]

/** Beyond it one person could keep the gateway busy adding up. */
export const analyticsMailsMax = 20

export const analyticsLook = analyticsQuery.omit({ dateFrom: true, dateTo: true, sort: true, order: true })
export type AnalyticsLook = z.infer<typeof analyticsLook>

const analyticsMailFields = z.object({
  name: lineSchema(60).refine((name) => name !== '', 'Enter a name'),
  /** Yesterday each day, the week each Monday, the month on its first day after; UTC. */
  every: z.enum(mailRhythms),
  look: analyticsLook,
})
const analyticsMailSchema = analyticsMailFields.extend({
  id: z.string(),
  /** The UTC day on which the next one is sent. */
  nextOn: z.string(),
})
export type AnalyticsMail = z.infer<typeof analyticsMailSchema>

export const analyticsRoutes = routes({
  analyse: {
    method: 'GET',
    path: '/api/analytics',
    summary:
      'Messages, success, bill and earnings of a period by one or two dimensions; a client sees its own.',
    access: 'recordsRead',
    query: analyticsQuery,
    response: analyticsSchema,
    isHeavy: true,
    onReplica: 'lagging',
  },
  exportAnalytics: {
    method: 'GET',
    path: '/api/analytics/export',
    summary: 'All rows of it as CSV.',
    access: 'recordsRead',
    query: analyticsQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'lagging',
  },
  listAnalyticsMails: {
    method: 'GET',
    path: '/api/analytics/mails',
    summary: 'The views that are mailed to oneself, and whether there are a mail server and an address.',
    access: 'recordsRead',
    response: z.object({ canMail: z.boolean(), email: z.string(), mails: z.array(analyticsMailSchema) }),
  },
  keepAnalyticsMail: {
    method: 'PUT',
    path: '/api/analytics/mails',
    summary: 'Have a view mailed to oneself; one of the same name is replaced.',
    access: 'recordsRead',
    body: analyticsMailFields,
    response: okSchema,
  },
  deleteAnalyticsMail: {
    method: 'DELETE',
    path: '/api/analytics/mails/{id}',
    summary: 'Have a view mailed no more.',
    access: 'recordsRead',
    params: z.object({ id: idSchema }),
    response: okSchema,
  },
})
