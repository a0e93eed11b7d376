import { accountNumberSorts } from '@tollgate/contract/numbers/numbers.ts'
import { accountStatuses, numberTypes } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const accountNumbersSearch = z.object({
  search: z.string().max(100).catch(''),
  /** The number in the drawer. */
  open: z.string().max(20).catch(''),
  status: z.enum(['all', ...accountStatuses]).catch('all'),
  type: z.enum(['all', ...numberTypes]).catch('all'),
  sort: z.enum(accountNumberSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
