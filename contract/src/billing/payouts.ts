// Payouts: what a number with a price of its own earned its client. Spec §2, §3.
import { z } from 'zod'
import { approvalSchema, debtFields, paymentDecisionSchema, transactionHashSchema } from './debts.ts'
import { idParams, idSchema, lineSchema, orderSchema, pageQuery, userIdSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { sentenceSchema } from '../sentences.ts'
import { paymentVerifications, payoutStatuses } from '../vocabulary.ts'

const payoutSchema = z.object({
  id: idSchema,
  createdAt: z.string(),
  userId: z.int(),
  userName: z.string(),
  number: z.string(),
  amount: z.string(),
  ...debtFields,
  currency: z.literal('USDT'),
  smsCount: z.int(),
  /** The records behind it, as a path of the records list. */
  recordsUrl: z.string(),
  usdtAddress: z.string(),
  payoutStatus: z.enum(payoutStatuses),
  periodStart: z.string(),
  periodEnd: z.string(),
  /** When it may be paid. */
  payableFrom: z.string(),
  processedAt: z.string().nullable(),
  transactionHash: z.string().nullable(),
  paymentVerification: z.enum(paymentVerifications).nullable(),
  /** As in a bill: the result of the check; for staff, why a person decided. */
  verificationNote: z.string(),
  approval: approvalSchema.nullable(),
  /** Why no money may go to the account; absent unless its ledger did not balance at the last check. */
  parkedReason: z.string().optional(),
  parkedWords: z.array(sentenceSchema).optional(),
})
export type Payout = z.infer<typeof payoutSchema>

export const payoutSorts = ['createdAt', 'userName', 'number', 'smsCount', 'amount', 'status'] as const
const payoutPageQuery = pageQuery.extend({
  sort: z.enum(payoutSorts).default('createdAt'),
  order: orderSchema,
})

const payoutQuery = z.object({
  status: z.enum(payoutStatuses).optional(),
  id: idSchema.optional(),
  userId: userIdSchema.optional(),
})

export const payoutRoutes = routes({
  listOwnPayouts: {
    method: 'GET',
    path: '/api/billing/payouts',
    summary: "The caller's payouts of numbers with a price of their own, newest first unless said.",
    access: 'payment',
    query: payoutPageQuery,
    response: z.array(payoutSchema),
    isPaged: true,
  },
  exportOwnPayouts: {
    method: 'GET',
    path: '/api/billing/payouts/export',
    summary: "The caller's payouts as CSV.",
    access: 'payment',
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  listPayouts: {
    method: 'GET',
    path: '/api/payouts',
    summary: 'Payouts of numbers with a price of their own, newest first unless said.',
    access: 'numbersManagement',
    query: payoutPageQuery.extend(payoutQuery.shape),
    response: z.array(payoutSchema),
    isPaged: true,
  },
  exportPayouts: {
    method: 'GET',
    path: '/api/payouts/export',
    summary: 'Payouts as CSV.',
    access: 'numbersManagement',
    query: payoutQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  getPayoutSummary: {
    method: 'GET',
    path: '/api/payouts/summary',
    summary: 'Total revenue (completed payouts) and the count of pending ones.',
    access: 'numbersManagement',
    response: z.object({ totalRevenue: z.string(), pendingCount: z.int() }),
  },
  processPayout: {
    method: 'PUT',
    path: '/api/payouts/{id}/process',
    summary:
      'Pay a payout. With a TRON node: by a hash, or with a reason and by a second person; without one it is complete at once, unchecked.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: z
      .object({
        transactionHash: z.union([z.literal(''), transactionHashSchema]).optional(),
        /** Why there is no hash. */
        reason: lineSchema(500).optional(),
      })
      .optional(),
    response: payoutSchema,
    isIdempotent: true,
  },
  decidePayoutPayment: {
    method: 'PUT',
    path: '/api/payouts/{id}/decide',
    summary: "Decide on the payout's newest payment, see PUT /api/payments/{id}/decide.",
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: paymentDecisionSchema,
    response: payoutSchema,
  },
})
