import { rangeSorts } from '@tollgate/contract/ranges.ts'
import { accountStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const rangesSearch = z.object({
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...accountStatuses]).catch('all'),
  sort: z.enum(rangeSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
