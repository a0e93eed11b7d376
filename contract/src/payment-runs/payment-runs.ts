// Payment runs: many debts paid together. Drafted by one person, approved by a second one, taken to the wallet as a file,
// matched by the transfers that leave it.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import { idParams, idSchema, lineSchema, pageQuery } from '../fields.ts'
import { routes } from '../route.ts'
import { schemaMessage } from '../schema-messages.ts'
import { sentence, sentenceSchema, messageFields } from '../sentences.ts'
import { debtReferenceSchema } from '../treasury/transfers.ts'
import { paymentRunStatuses, runLineStates } from '../vocabulary.ts'

/** With more, the locks on their debts would be kept for longer than about a second. */
export const runDebtsMax = 500

/** `3-17,payout-5`: at most as many as a run pays. */
const debtReferencesSchema = z
  .string()
  .max(15_000)
  .refine(
    (text) => text.split(',').every((each) => debtReferenceSchema.safeParse(each).success),
    'Enter bills (3-17) and payouts (payout-5) with commas between them',
  )
  .refine(
    (text) => text.split(',').length <= runDebtsMax,
    schemaMessage(sentence('At most {limit}', { limit: String(runDebtsMax) })),
  )

const debtSchema = z.object({ reference: z.string(), dueAmount: z.string() })

const payeeFields = {
  userId: z.int(),
  userName: z.string(),
  usdtAddress: z.string(),
  /** What the transfer must be of, exactly, with up to 6 decimals. */
  amount: z.string(),
  debts: z.array(debtSchema),
  /** What is held back of this client's messages; it is in no debt. */
  heldAmount: z.string(),
  /** Since when the client is paid to this address, as far as is known. */
  addressSince: z.string().nullable(),
  /** What those who approve should look at. */
  warnings: z.array(z.string()),
  /** What each warning is made of. */
  warningWords: z.array(sentenceSchema),
}

/** A transfer that a run could make, or debts that cannot be paid now. */
const draftLineSchema = z.object({
  ...payeeFields,
  /** Why it cannot be in a run; empty when it can. */
  problem: z.string(),
  problemWords: z.array(sentenceSchema),
})
export type DraftLine = z.infer<typeof draftLineSchema>

const draftSchema = z.object({
  lines: z.array(draftLineSchema),
  readyCount: z.int(),
  readyAmount: z.string(),
  /** A client with less waits for a later run. */
  minimum: z.string(),
  isBundled: z.boolean(),
  isNetted: z.boolean(),
})
export type RunDraft = z.infer<typeof draftSchema>

const runSchema = z.object({
  id: idSchema,
  status: z.enum(paymentRunStatuses),
  note: z.string(),
  lineCount: z.int(),
  amount: z.string(),
  /** How many of its transfers are booked. */
  paidCount: z.int(),
  paidAmount: z.string(),
  draftedBy: z.string(),
  draftedAt: z.string(),
  approvedBy: z.string(),
  approvedAt: z.string().nullable(),
  exportedBy: z.string(),
  exportedAt: z.string().nullable(),
  closedBy: z.string(),
  closedAt: z.string().nullable(),
  closeReason: z.string(),
})
export type PaymentRun = z.infer<typeof runSchema>

const runLineSchema = z.object({
  id: idSchema,
  ...payeeFields,
  state: z.enum(runLineStates),
  /** Of the transfer that paid it, or as a person brought it back; empty before. */
  transactionHash: z.string(),
})
export type RunLine = z.infer<typeof runLineSchema>

const runDetailSchema = runSchema.extend({ lines: z.array(runLineSchema) })
export type RunDetail = z.infer<typeof runDetailSchema>

const hashReportSchema = z.object({
  /** False for a trial, and when a line was refused: nothing has happened then. */
  isApplied: z.boolean(),
  refusedCount: z.int(),
  lines: z.array(
    z.object({
      line: z.int(),
      reference: z.string(),
      transactionHash: z.string(),
      /** Skipped: the file has no hash of it, or says that its transfer failed. */
      outcome: z.enum(['paid', 'looked_up', 'skipped', 'refused']),
      ...messageFields,
    }),
  ),
})
export type RunHashReport = z.infer<typeof hashReportSchema>

const agingSums = z.object({
  /** 0 to 7 days since the bill was sent or the payout made. */
  days7: z.string(),
  days14: z.string(),
  days30: z.string(),
  older: z.string(),
  total: z.string(),
})
const agingSchema = z.object({
  totals: agingSums,
  /** The 500 clients with the oldest debts. */
  clients: z.array(
    agingSums.extend({
      userId: z.int(),
      userName: z.string(),
      debtCount: z.int(),
      oldestAt: z.string(),
      hasAddress: z.boolean(),
    }),
  ),
  /** Debts that may be paid and are older than the setting `overdue_after_days`. */
  overdue: z.object({ afterDays: z.int(), count: z.int(), amount: z.string() }),
})
export type Aging = z.infer<typeof agingSchema>

export const paymentRunRoutes = routes({
  draftRun: {
    method: 'GET',
    path: '/api/payment-runs/draft',
    summary:
      'What a payment run could pay now: the oldest 1,000 debts by client, or those named, and what keeps one from being paid.',
    access: 'paymentManagement',
    query: z.object({ references: debtReferencesSchema.optional() }),
    response: draftSchema,
    isHeavy: true,
  },
  createRun: {
    method: 'POST',
    path: '/api/payment-runs',
    summary: 'Draft a payment run of these debts. A second person approves it.',
    access: 'paymentManagement',
    fresh: 'hour',
    body: z.object({
      references: z.array(debtReferenceSchema).min(1).max(runDebtsMax),
      note: lineSchema(200).default(''),
    }),
    response: runDetailSchema,
    status: 201,
    isIdempotent: true,
  },
  listRuns: {
    method: 'GET',
    path: '/api/payment-runs',
    summary: 'Payment runs, newest first.',
    access: 'paymentManagement',
    query: pageQuery.extend({ status: z.enum(paymentRunStatuses).optional() }),
    response: z.array(runSchema),
    isPaged: true,
  },
  getRun: {
    method: 'GET',
    path: '/api/payment-runs/{id}',
    summary: 'A payment run with its transfers.',
    access: 'paymentManagement',
    params: idParams,
    response: runDetailSchema,
  },
  approveRun: {
    method: 'PUT',
    path: '/api/payment-runs/{id}/approve',
    summary: 'Approve a payment run that somebody else drafted.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    response: runDetailSchema,
  },
  cancelRun: {
    method: 'PUT',
    path: '/api/payment-runs/{id}/cancel',
    summary: 'Give up a payment run before its file was made. Its debts can be paid by another one.',
    access: 'paymentManagement',
    fresh: 'hour',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: runDetailSchema,
  },
  exportRun: {
    method: 'PUT',
    path: '/api/payment-runs/{id}/export',
    summary: 'Open an approved payment run for the wallet. From here on its transfers are expected.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    response: runDetailSchema,
  },
  getRunFile: {
    method: 'GET',
    path: '/api/payment-runs/{id}/file',
    summary:
      'The file for the wallet: CSV with address, amount, reference; or lines of address and amount for a multi-send.',
    access: 'paymentManagement',
    params: idParams,
    query: z.object({ form: z.enum(['csv', 'multisend']).default('csv') }),
    stream: 'file',
    isHeavy: true,
  },
  importRunHashes: {
    method: 'POST',
    path: '/api/payment-runs/{id}/hashes',
    summary:
      'Transaction hashes of a run as CSV with transaction_hash and reference, or address and amount: all or none.',
    access: 'paymentManagement',
    fresh: 'now',
    hasDryRun: true,
    params: idParams,
    query: z.object({ dryRun: z.enum(['true', 'false']).default('false') }),
    body: z.object({ data: z.string().max(500_000) }).optional(),
    upload: true,
    bodyLimitBytes: 1024 * 1024,
    response: hashReportSchema,
    isIdempotent: true,
  },
  closeRun: {
    method: 'PUT',
    path: '/api/payment-runs/{id}/close',
    summary:
      'Close a run although transfers of it were not seen. What is left of its debts can be paid by another one.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: runDetailSchema,
  },
  getAging: {
    method: 'GET',
    path: '/api/billing/aging',
    summary: 'What clients are owed, by age.',
    access: 'paymentManagement',
    response: agingSchema,
    isHeavy: true,
    onReplica: 'current',
  },
})
