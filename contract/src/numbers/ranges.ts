// Number ranges, each with the tariff of the numbers inside it. Spec §2.
import { z } from 'zod'
import {
  changeIdSchema,
  changedRowsMax,
  chosenRowsBytes,
  chosenRowsSchema,
  daySchema,
  idParams,
  idSchema,
  instantSchema,
  lineSchema,
  numberInputSchema,
  okSchema,
  orderSchema,
  pageQuery,
  refusedRowSchema,
  searchSchema,
  versionSchema,
} from '../fields.ts'
import { tariffInputSchema } from '../money.ts'
import { scheduledRateSchema } from '../rates/rates.ts'
import { routes } from '../route.ts'
import { accountStatuses } from '../vocabulary.ts'

const rangeSchema = z.object({
  id: idSchema,
  rangeNumber: z.string(),
  startNumber: z.string(),
  endNumber: z.string(),
  description: z.string(),
  /** Tariff in shekels. */
  rate: z.string(),
  /** The tariff that starts later; who set it is empty for clients. */
  scheduled: scheduledRateSchema,
  status: z.enum(accountStatuses),
  createdAt: z.string(),
  version: z.int(),
})
export type NumberRange = z.infer<typeof rangeSchema>

const rangeFields = z.object({
  rangeNumber: lineSchema(32).refine((text) => text !== '', 'Range number is required'),
  startNumber: numberInputSchema,
  endNumber: numberInputSchema,
  description: lineSchema(500),
  rate: tariffInputSchema,
  status: z.enum(accountStatuses),
  version: versionSchema,
})
export const rangeInputSchema = rangeFields.extend({
  description: rangeFields.shape.description.default(''),
  rate: rangeFields.shape.rate.default('0.00'),
  status: rangeFields.shape.status.default('active'),
})
/** Without defaults: a field that is not sent stays as it is. */
export const rangeEditSchema = rangeFields.partial().extend({ startsAt: instantSchema.optional() })

export const rangeSorts = ['createdAt', 'rangeNumber', 'startNumber', 'endNumber', 'rate', 'status'] as const

/** The filters of the list. */
export const rangeQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum([...accountStatuses, 'all']).optional(),
})

const earningDaysSchema = z.object({
  /** UTC, both included; both or neither. */
  dateFrom: daySchema.optional(),
  dateTo: daySchema.optional(),
})
/** The days of which an export says what each range earned. */
export type ExportDays = z.infer<typeof earningDaysSchema>

export const rangesRoutes = routes({
  listRanges: {
    method: 'GET',
    path: '/api/ranges',
    summary: 'Number ranges.',
    access: 'ranges',
    query: pageQuery.extend({
      ...rangeQuery.shape,
      sort: z.enum(rangeSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(rangeSchema),
    isPaged: true,
    onReplica: 'current',
  },
  getRange: {
    method: 'GET',
    path: '/api/ranges/{id}',
    summary: 'One range.',
    access: 'ranges',
    params: idParams,
    response: rangeSchema,
  },
  summariseRanges: {
    method: 'GET',
    path: '/api/ranges/summary',
    summary: 'How many ranges the filters match and how many of them are active.',
    access: 'ranges',
    query: rangeQuery,
    response: z.object({ count: z.int(), active: z.int() }),
  },
  exportRanges: {
    method: 'GET',
    path: '/api/ranges/export',
    summary:
      'The filtered ranges as CSV, also with what each earned on some days if these are given (UTC, both included).',
    access: 'ranges',
    query: rangeQuery.extend(earningDaysSchema.shape),
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportChosenRanges: {
    method: 'POST',
    path: '/api/ranges/export',
    summary:
      'The chosen ranges as CSV, also with what each earned on some days if these are given (UTC, both included).',
    access: 'ranges',
    body: chosenRowsSchema.extend(earningDaysSchema.shape),
    bodyLimitBytes: chosenRowsBytes,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  createRange: {
    method: 'POST',
    path: '/api/ranges',
    summary: 'Add a range.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: rangeInputSchema,
    response: rangeSchema,
    status: 201,
    isIdempotent: true,
  },
  replaceRange: {
    method: 'PUT',
    path: '/api/ranges/{id}',
    summary:
      'Change a range. With `startsAt` its `rate` starts then instead of now, and replaces one that waits: a message has the rate of its own time.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    body: rangeEditSchema,
    response: rangeSchema,
  },
  cancelScheduledTariff: {
    method: 'DELETE',
    path: '/api/ranges/{id}/scheduled',
    summary: 'Cancel the rate of a range that starts later.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
  },
  deleteRange: {
    method: 'DELETE',
    path: '/api/ranges/{id}',
    summary: 'Delete a range; its records keep its name.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    response: okSchema,
  },
  bulkSetRangeStatus: {
    method: 'POST',
    path: '/api/ranges/status',
    summary:
      'Set the status of several ranges; one that somebody else changed is left unchanged and reported.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: z.object({
      rows: z
        .array(z.object({ id: idSchema, version: versionSchema, status: z.enum(accountStatuses) }))
        .min(1)
        .max(changedRowsMax),
    }),
    // 75 bytes for each row.
    bodyLimitBytes: 64 * 1024,
    response: z.object({
      done: z.array(rangeSchema),
      refused: z.array(refusedRowSchema),
      changeId: changeIdSchema,
    }),
  },
})
