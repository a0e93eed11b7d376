// Requests for numbers: users make them, support decides. Spec §2, §7.
import { z } from 'zod'
import {
  changeIdSchema,
  changedRowsMax,
  chosenRowsBytes,
  chosenRowsSchema,
  countryCodeSchema,
  idParams,
  idSchema,
  lineSchema,
  numberInputSchema,
  orderSchema,
  pageQuery,
  refusedRowSchema,
  searchSchema,
  userIdSchema,
} from '../fields.ts'
import { inventoryItemSchema } from './inventory.ts'
import { routes } from '../route.ts'
import { expectedVolumes, requestStatuses } from '../vocabulary.ts'

const numberRequestSchema = z.object({
  id: idSchema,
  userId: z.int(),
  userName: z.string(),
  userEmail: z.string(),
  requestedNumber: z.string(),
  preferredCountry: z.string(),
  countryCode: z.string(),
  businessPurpose: z.string(),
  expectedVolume: z.string(),
  status: z.enum(requestStatuses),
  assignedNumber: z.string(),
  processedAt: z.string().nullable(),
  rejectionReason: z.string(),
  createdAt: z.string(),
})
export type NumberRequest = z.infer<typeof numberRequestSchema>

/** What a list of requests is filtered by: a status, those that wait for an answer or a number, those that were approved (with
 * those that have their number), or all. */
export const requestFilters = [...requestStatuses, 'waiting', 'granted', 'all'] as const

/** Sort orders of the lists. */
export const requestSorts = ['createdAt', 'userName', 'requestedNumber', 'expectedVolume', 'status'] as const

const requestPageQuery = pageQuery.extend({
  sort: z.enum(requestSorts).default('createdAt'),
  order: orderSchema,
})
/** The filters of the queue. */
export const requestQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum(requestFilters).optional(),
  userId: userIdSchema.optional(),
})

const requestInputSchema = z.object({
  requestedNumber: z.union([z.literal(''), numberInputSchema]).default(''),
  preferredCountry: lineSchema(100).default(''),
  countryCode: z.union([z.literal(''), countryCodeSchema]).default(''),
  businessPurpose: lineSchema(2000).refine((text) => text !== '', 'Business purpose is required'),
  expectedVolume: z.enum(expectedVolumes, 'Choose the expected volume'),
})
export type RequestFields = z.output<typeof requestInputSchema>

const requestCountsSchema = z.object({
  pending: z.int(),
  approved: z.int(),
  rejected: z.int(),
  total: z.int(),
  /** Those that wait for staff: for an answer, or for the number of an approved one. */
  open: z.int(),
})

export const requestsRoutes = routes({
  listOwnRequests: {
    method: 'GET',
    path: '/api/number-requests',
    summary: "The viewer's own requests.",
    access: 'numberRequests',
    query: requestPageQuery,
    response: z.array(numberRequestSchema),
    isPaged: true,
  },
  summariseOwnRequests: {
    method: 'GET',
    path: '/api/number-requests/summary',
    summary: "The viewer's own requests by state; approved counts approved and assigned.",
    access: 'numberRequests',
    response: requestCountsSchema,
  },
  createRequest: {
    method: 'POST',
    path: '/api/number-requests',
    summary: 'Ask for a number; an empty requestedNumber means any available one.',
    access: 'numberRequests',
    body: requestInputSchema,
    response: numberRequestSchema,
    status: 201,
    isIdempotent: true,
  },
  editRequest: {
    method: 'PUT',
    path: '/api/number-requests/{id}',
    summary: 'Change a request of one’s own while nobody has decided on it.',
    access: 'numberRequests',
    params: idParams,
    body: requestInputSchema,
    response: numberRequestSchema,
  },
  withdrawRequest: {
    method: 'PUT',
    path: '/api/number-requests/{id}/withdraw',
    summary: 'Withdraw a request of one’s own before a number is assigned.',
    access: 'numberRequests',
    params: idParams,
    response: numberRequestSchema,
  },
  listAllRequests: {
    method: 'GET',
    path: '/api/number-requests/all',
    summary: 'The queue of all requests, for support.',
    access: 'numbersManagement',
    query: requestPageQuery.extend(requestQuery.shape),
    response: z.array(numberRequestSchema),
    isPaged: true,
  },
  exportRequests: {
    method: 'GET',
    path: '/api/number-requests/all/export',
    summary: 'The filtered requests of all as CSV, newest first.',
    access: 'numbersManagement',
    query: requestQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportChosenRequests: {
    method: 'POST',
    path: '/api/number-requests/all/export',
    summary: 'The chosen requests as CSV, newest first.',
    access: 'numbersManagement',
    body: chosenRowsSchema,
    bodyLimitBytes: chosenRowsBytes,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  summariseAllRequests: {
    method: 'GET',
    path: '/api/number-requests/all/summary',
    summary: 'The requests under the filters, by state.',
    access: 'numbersManagement',
    query: requestQuery,
    response: requestCountsSchema,
  },
  offerNumbers: {
    method: 'GET',
    path: '/api/number-requests/{id}/offers',
    summary: 'Available numbers that fit the wish and the country, best first.',
    access: 'numbersManagement',
    params: idParams,
    response: z.array(inventoryItemSchema),
  },
  processRequest: {
    method: 'PUT',
    path: '/api/number-requests/{id}/process',
    summary: 'Approve, assign a number, or reject with a reason.',
    access: 'numbersManagement',
    fresh: 'hour',
    params: idParams,
    body: z.object({
      action: z.enum(['approve', 'assign', 'reject']),
      assignedNumber: z.union([z.literal(''), numberInputSchema]).optional(),
      rejectionReason: lineSchema(1000).optional(),
    }),
    response: numberRequestSchema,
  },
  bulkProcessRequests: {
    method: 'POST',
    path: '/api/number-requests/process',
    summary:
      'Approve or reject several requests; one that was decided meanwhile is left unchanged and reported.',
    access: 'numbersManagement',
    fresh: 'hour',
    body: z.object({
      ids: z.array(idSchema).min(1).max(changedRowsMax),
      action: z.enum(['approve', 'reject']),
      rejectionReason: lineSchema(1000).optional(),
    }),
    response: z.object({
      done: z.array(numberRequestSchema),
      refused: z.array(refusedRowSchema),
      changeId: changeIdSchema,
    }),
  },
})
