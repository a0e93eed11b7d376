import { requestFilters, requestSorts } from '@tollgate/contract/numbers/requests.ts'
import { z } from 'zod'

export const requestsSearch = z.object({
  /** Staff see the queue first. Other roles have only their own requests. */
  tab: z.enum(['queue', 'own']).catch('queue'),
  search: z.string().max(100).catch(''),
  /** First what waits for an answer or a number. */
  status: z.enum(requestFilters).catch('waiting'),
  sort: z.enum(requestSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  /** The order of one's own requests. */
  ownSort: z.enum(requestSorts).catch('createdAt'),
  ownOrder: z.enum(['asc', 'desc']).catch('desc'),
})
