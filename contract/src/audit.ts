// Who did what, when, from where, before and after.
import { z } from 'zod'
import { daySchema, orderSchema, pageQuery, searchSchema, userIdSchema } from './fields.ts'
import { routes } from './route.ts'

export const auditEntrySchema = z.object({
  id: z.string(),
  at: z.string(),
  /** Empty for what the system did by itself. */
  actorId: z.int().nullable(),
  actor: z.string(),
  ip: z.string(),
  /** `noun.verb`, such as `user.suspend`. */
  action: z.string(),
  objectType: z.string(),
  objectId: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

const auditFilters = z.object({
  search: searchSchema.optional(),
  action: z.string().max(100).optional(),
  actorId: userIdSchema.optional(),
  objectType: z.string().max(50).optional(),
  objectId: z.string().max(50).optional(),
  dateFrom: daySchema.optional(),
  dateTo: daySchema.optional(),
})

/** What the log may be sorted by. `at` is the order of its chain, in which entries were written. */
export const auditSorts = ['at', 'actor', 'action'] as const

export const auditRoutes = routes({
  listAuditEntries: {
    method: 'GET',
    path: '/api/audit',
    summary: 'The audit log, newest first unless said.',
    access: 'auditRead',
    query: pageQuery.extend({
      ...auditFilters.shape,
      sort: z.enum(auditSorts).default('at'),
      order: orderSchema,
    }),
    response: z.array(auditEntrySchema),
    isPaged: true,
  },
  exportAuditEntries: {
    method: 'GET',
    path: '/api/audit/export',
    summary: 'The filtered entries as CSV, newest first.',
    access: 'auditRead',
    query: auditFilters,
    stream: 'csv',
    isHeavy: true,
  },
  listAuditActions: {
    method: 'GET',
    path: '/api/audit/actions',
    summary: 'The actions that occur, for the filter.',
    access: 'auditRead',
    response: z.array(z.string()),
  },
  verifyAudit: {
    method: 'GET',
    path: '/api/audit/verify',
    summary: 'Recompute the hash chain and say whether an entry was altered.',
    access: 'auditRead',
    response: z.object({ isIntact: z.boolean(), count: z.int(), brokenId: z.string().nullable() }),
    isHeavy: true,
  },
})
