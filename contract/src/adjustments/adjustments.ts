// Corrections of what a client is owed, and credits for what a number received while nobody held it.
import { z } from 'zod'
import { decisionSchema, reasonSchema } from '../billing/debts.ts'
import {
  idParams,
  idSchema,
  instantSchema,
  lineSchema,
  orderSchema,
  pageQuery,
  userIdSchema,
} from '../fields.ts'
import { parseMicro } from '../money.ts'
import { routes } from '../route.ts'
import { adjustmentStatuses } from '../vocabulary.ts'

/** A correction of what a client is owed: a ledger entry of its own, never a change of an old one. */
const adjustmentSchema = z.object({
  id: idSchema,
  userId: z.int(),
  userName: z.string(),
  /** Signed: above 0 the client gets more. */
  amount: z.string(),
  reason: z.string(),
  /** What it is about: a bill, a payout, a record; empty for none. */
  reference: z.string(),
  /** pending: waits for a second person. */
  status: z.enum(adjustmentStatuses),
  requestedBy: z.string(),
  decidedBy: z.string(),
  decisionReason: z.string(),
  /** The period whose bill it counts in; null until it is posted. */
  periodId: z.string().nullable(),
  /** It credits what a number received while nobody held it. Accepted, the number is held from that time. */
  backdating: z
    .object({
      number: z.string(),
      heldFrom: z.string(),
      heldTo: z.string(),
      smsCount: z.int(),
      /** Its messages, as a path of the records list; empty once it is rejected. */
      recordsUrl: z.string(),
    })
    .nullable(),
  createdAt: z.string(),
  decidedAt: z.string().nullable(),
})
export type Adjustment = z.infer<typeof adjustmentSchema>

export const adjustmentInputSchema = z.object({
  userId: userIdSchema,
  amount: z
    .union([z.string().trim(), z.number().transform(String)])
    .refine(
      (text) => (parseMicro(text) ?? 0n) !== 0n,
      'Enter an amount other than 0 with at most 6 decimals',
    ),
  reason: reasonSchema,
  /**
   * A bill (`3-17`), a payout (`payout-5`) or a record (its message id), of the same client; or a correction that this one
   * takes back (`correction-8`).
   */
  reference: lineSchema(64).default(''),
})

/** What assigning a number from an earlier time is worth. */
const backdatingPreviewSchema = z.object({
  number: z.string(),
  userName: z.string(),
  heldFrom: z.string(),
  /** When the holding begins without it: now, or when the user got the number. */
  heldTo: z.string(),
  /** Messages that nobody held the number for. 0: the holding begins earlier at once. */
  smsCount: z.int(),
  amount: z.string(),
  /** The cycles that the messages came in. All of the amount counts in the open one. */
  cycles: z.array(
    z.object({
      periodStart: z.string(),
      periodEnd: z.string(),
      isClosed: z.boolean(),
      smsCount: z.int(),
      amount: z.string(),
    }),
  ),
})
export type BackdatingPreview = z.infer<typeof backdatingPreviewSchema>

export const adjustmentSorts = ['createdAt', 'userName', 'amount', 'status', 'requestedBy'] as const
const adjustmentQuery = z.object({
  userId: userIdSchema.optional(),
  status: z.enum(adjustmentStatuses).optional(),
})

export const adjustmentRoutes = routes({
  listAdjustments: {
    method: 'GET',
    path: '/api/billing/adjustments',
    summary: 'Corrections of accounts, newest first unless said.',
    access: 'paymentManagement',
    query: pageQuery.extend({
      ...adjustmentQuery.shape,
      sort: z.enum(adjustmentSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(adjustmentSchema),
    isPaged: true,
  },
  exportAdjustments: {
    method: 'GET',
    path: '/api/billing/adjustments/export',
    summary: 'Corrections of accounts as CSV.',
    access: 'paymentManagement',
    query: adjustmentQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  createAdjustment: {
    method: 'POST',
    path: '/api/billing/adjustments',
    summary: 'Correct what a client is owed, in the open period. Above the limit a second person accepts it.',
    access: 'moneyAdjust',
    fresh: 'hour',
    body: adjustmentInputSchema,
    response: adjustmentSchema,
    status: 201,
    isIdempotent: true,
  },
  previewBackdating: {
    method: 'GET',
    path: '/api/billing/backdating',
    summary:
      'What assigning a number from an earlier time is worth: the messages since then that nobody held it for.',
    access: 'moneyAdjust',
    query: z.object({ numberId: idSchema, userId: userIdSchema, from: instantSchema }),
    response: backdatingPreviewSchema,
    isHeavy: true,
  },
  decideAdjustment: {
    method: 'PUT',
    path: '/api/billing/adjustments/{id}/decide',
    summary: 'Accept or reject a correction that waits for a second person.',
    access: 'moneyAdjust',
    fresh: 'hour',
    params: idParams,
    body: decisionSchema,
    response: adjustmentSchema,
  },
})
