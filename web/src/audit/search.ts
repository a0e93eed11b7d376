import { auditSorts } from '@tollgate/contract/audit/audit.ts'
import { z } from 'zod'

export const auditSearch = z.object({
  search: z.string().max(100).catch(''),
  action: z.string().max(100).catch(''),
  objectType: z.string().max(50).catch(''),
  objectId: z.string().max(50).catch(''),
  changeId: z
    .string()
    .regex(/^\d{0,18}$/)
    .catch(''),
  dateFrom: z.string().max(10).catch(''),
  dateTo: z.string().max(10).catch(''),
  sort: z.enum(auditSorts).catch('at'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  open: z.string().max(20).catch(''),
})
