import { requestSorts } from '@tollgate/contract/numbers/requests.ts'
import { requestStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const requestsSearch = z.object({
  /** Staff see the queue first. Other roles have only their own requests. */
  tab: z.enum(['queue', 'own']).catch('queue'),
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...requestStatuses]).catch('all'),
  sort: z.enum(requestSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  /** The order of one's own requests. */
  ownSort: z.enum(requestSorts).catch('createdAt'),
  ownOrder: z.enum(['asc', 'desc']).catch('desc'),
})
