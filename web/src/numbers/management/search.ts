import { premiumNumberSorts } from '@tollgate/contract/numbers/numbers.ts'
import { accountStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const numbersManagementSearch = z.object({
  search: z.string().max(100).catch(''),
  /** The number in the drawer. */
  open: z.string().max(20).catch(''),
  status: z.enum(['all', ...accountStatuses]).catch('all'),
  country: z.string().max(100).catch(''),
  sort: z.enum(premiumNumberSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
