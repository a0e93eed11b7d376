// Payments: what was sent for a bill or a payout, or outside them. Spec §2, §7.
import { z } from 'zod'
import {
  amountInputSchema,
  approvalSchema,
  paymentDecisionSchema,
  reasonSchema,
  transactionHashSchema,
  walletAddressSchema,
} from './debts.ts'
import {
  daySchema,
  idParams,
  idSchema,
  lineSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdSchema,
} from '../fields.ts'
import { routes } from '../route.ts'
import { paymentDifferences, paymentStatuses, paymentVerifications } from '../vocabulary.ts'

const paymentSchema = z.object({
  id: idSchema,
  userId: z.int(),
  userName: z.string(),
  /** What was due when it was entered. */
  amount: z.string(),
  /** What arrived, by the chain or, unverified, by the word of whoever entered it. */
  receivedAmount: z.string(),
  /** What is due now of the bill or payout that it pays. */
  dueAmount: z.string(),
  /** What it brought beyond the debt and nobody has decided on. */
  surplusAmount: z.string(),
  usdtAddress: z.string(),
  transactionHash: z.string(),
  status: z.enum(paymentStatuses),
  /** Null while it only is noted or waits for a second person. */
  paymentVerification: z.enum(paymentVerifications).nullable(),
  /** The result of the check, or why a person decided. */
  verificationNote: z.string(),
  /** A decision on it that waits for a second person. */
  proposal: z
    .object({
      decision: z.enum([...paymentDifferences, 'reject']),
      requestedBy: z.string(),
      requestedAt: z.string(),
      reason: z.string(),
    })
    .nullable(),
  /** Who entered it, while it waits for a second person. */
  approval: approvalSchema.nullable(),
  /** Who entered its hash: somebody else may replace it at once. */
  enteredBy: z.string(),
  processedBy: z.string(),
  notes: z.string(),
  /** The bill or the payout that it pays. */
  periodId: z.string().nullable(),
  payoutId: z.string().nullable(),
  /** The payment that took its place, because its hash was mistyped; its own hash is still looked up. Null for most. */
  replacedWith: idSchema.nullable(),
  createdAt: z.string(),
})
export type Payment = z.infer<typeof paymentSchema>

export const paymentInputSchema = z.object({
  userId: userIdSchema,
  amount: amountInputSchema,
  /** Default: the client's own. */
  usdtAddress: walletAddressSchema.pipe(z.string().max(100)).optional(),
  transactionHash: z.union([z.literal(''), transactionHashSchema]).optional(),
  status: z.enum(paymentStatuses).default('pending'),
  notes: lineSchema(500).default(''),
})

export const paymentSorts = ['createdAt', 'userName', 'amount', 'status', 'processedBy'] as const

const paymentQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum(paymentStatuses).optional(),
  userId: userIdSchema.optional(),
  /** Those made on this day (UTC) or later. */
  from: daySchema.optional(),
  /** Those of one bill. */
  periodId: z.string().max(40).optional(),
  /** Those of one payout. */
  payoutId: idSchema.optional(),
})
export type PaymentFilter = z.infer<typeof paymentQuery>

export const paymentRoutes = routes({
  listPayments: {
    method: 'GET',
    path: '/api/payments/all',
    summary: 'All payments, newest first unless said.',
    access: 'paymentManagement',
    query: pageQuery.extend({
      ...paymentQuery.shape,
      sort: z.enum(paymentSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(paymentSchema),
    isPaged: true,
  },
  exportPayments: {
    method: 'GET',
    path: '/api/payments/all/export',
    summary: 'All payments as CSV.',
    access: 'paymentManagement',
    query: paymentQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  createPayment: {
    method: 'POST',
    path: '/api/payments',
    summary: 'Write down a payment made outside the bills.',
    access: 'paymentManagement',
    fresh: 'now',
    body: paymentInputSchema,
    response: paymentSchema,
    status: 201,
    isIdempotent: true,
  },
  decidePayment: {
    method: 'PUT',
    path: '/api/payments/{id}/decide',
    summary:
      'Decide on a payment: one of another amount, one that waits for approval or is not found, or one made outside the bills. Above the limit a second person sends the same.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: paymentDecisionSchema,
    response: paymentSchema,
  },
  replacePaymentHash: {
    method: 'PUT',
    path: '/api/payments/{id}/hash',
    summary:
      'Replace a mistyped transaction hash: at once by a second person, after ten minutes by whoever entered it when no node knows it. The old hash is still looked up. Gives the payment with the new hash.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: z.object({ transactionHash: transactionHashSchema, reason: reasonSchema }),
    response: paymentSchema,
    isIdempotent: true,
  },
})
