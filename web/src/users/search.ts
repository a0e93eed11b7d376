import { userSorts } from '@tollgate/contract/users/users.ts'
import { accountStatuses, roles } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const usersSearch = z.object({
  search: z.string().max(100).catch(''),
  role: z.enum(['all', ...roles]).catch('all'),
  status: z.enum(['all', ...accountStatuses]).catch('all'),
  secondFactor: z.enum(['all', 'with', 'without']).catch('all'),
  sort: z.enum(userSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
