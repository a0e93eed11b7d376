// Who did what, when, from where, before and after.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import { daySchema, idSchema, orderSchema, pageQuery, searchSchema, userIdSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { zoneSchema } from '../zones.ts'

const auditEntrySchema = z.object({
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
  /** What the object is called now; empty when it has no name or is gone. */
  objectName: z.string(),
  before: z.record(z.string(), z.unknown()).nullable(),
  after: z.record(z.string(), z.unknown()).nullable(),
  /** Whether the change of many rows that `after.change` names can still be undone. */
  isUndoable: z.boolean(),
})
export type AuditEntry = z.infer<typeof auditEntrySchema>

/** What entries are about. */
export const auditedTypes = [
  'adjustment',
  'alert_rule',
  'audit_entry',
  'back_test',
  'billing_period',
  'bind',
  'book_setup',
  'cdr_schedule',
  'connection',
  'cycle',
  'dispute',
  'endpoint',
  'flight',
  'hold',
  'integrity_case',
  'integrity_version',
  'key',
  'legal_entity',
  'listed_sender',
  'number',
  'number_import',
  'number_request',
  'payment',
  'payment_run',
  'payout',
  'provider',
  'range',
  'rate',
  'record',
  'setting',
  'subscriber',
  'supplier',
  'transfer',
  'alert',
  'user',
] as const
export type AuditedType = (typeof auditedTypes)[number]

const auditFilters = z.object({
  search: searchSchema.optional(),
  action: z.string().max(100).optional(),
  actorId: userIdSchema.optional(),
  objectType: z.string().max(50).optional(),
  objectId: z.string().max(50).optional(),
  /** The entries of one change of many rows, by its `changeId`, and of undoing it. */
  changeId: idSchema.optional(),
  dateFrom: daySchema.optional(),
  dateTo: daySchema.optional(),
  /** The time zone of the days; UTC by default. */
  zone: zoneSchema.optional(),
})
export type AuditFilter = z.infer<typeof auditFilters>

/** In which way the chain can be broken at an entry; the server's check describes each. */
const auditBreakKinds = [
  'altered',
  'missing',
  'unkeyed',
  'unknown_key',
  'cut',
  'added',
  'head',
  'published',
] as const
export type AuditBreakKind = (typeof auditBreakKinds)[number]

const auditStateSchema = z.object({
  /** Breaks that were found and that nobody has acknowledged yet. */
  broken: z.object({ id: z.string(), kind: z.enum(auditBreakKinds), foundAt: z.string() }).nullable(),
  /** When the job last checked anything, and when it last completed a check of the whole log. */
  checkedAt: z.string().nullable(),
  wholeCheckedAt: z.string().nullable(),
  /** How many entries were checked at least once. */
  checkedCount: z.int(),
  /** The head that was published last: one signed line, to be kept outside this system. */
  head: z
    .object({ line: z.string(), entryId: z.string(), publishedAt: z.string(), fingerprint: z.string() })
    .nullable(),
})
export type AuditState = z.infer<typeof auditStateSchema>

/** Sort orders of the log. `at` is the order of the chain, in which the entries were written. */
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
    onReplica: 'current',
  },
  exportAuditEntries: {
    method: 'GET',
    path: '/api/audit/export',
    summary: 'The filtered entries as CSV, newest first.',
    access: 'auditRead',
    query: auditFilters,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
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
    summary:
      'Say whether an entry was altered. A log of up to 20,000 entries is checked whole; of a longer one what is new, on top of what the job has found.',
    access: 'auditRead',
    response: z.object({ isIntact: z.boolean(), count: z.int(), brokenId: z.string().nullable() }),
    isHeavy: true,
  },
  getAuditState: {
    method: 'GET',
    path: '/api/audit/state',
    summary: 'What the check of the log has found, and the head that was published last.',
    access: 'auditRead',
    response: auditStateSchema,
  },
  exportAuditChain: {
    method: 'GET',
    path: '/api/audit/chain',
    summary: 'The whole log with its links as JSON lines, for npm run verify-audit.',
    access: 'auditRead',
    isHeavy: true,
    stream: 'file',
    onReplica: 'current',
  },
  acknowledgeAuditBreak: {
    method: 'POST',
    path: '/api/audit/acknowledge',
    summary: 'Say that a break of the log was looked into: it raises no alarm any more.',
    access: 'auditRead',
    fresh: 'now',
    body: z.object({ brokenId: z.string().regex(/^\d{1,19}$/), reason: reasonSchema }),
    response: auditStateSchema,
  },
})
