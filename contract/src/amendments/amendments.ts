// What can be done about a bill before it is paid: withheld, voided, shrunk by a credit note, sent to another address. The
// bill and its signed statement never change; each amendment is a document of its own.
import { z } from 'zod'
import { periodParams } from '../billing/bills.ts'
import { amountInputSchema, decisionSchema, reasonSchema } from '../billing/debts.ts'
import { idParams, idSchema, lineSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { amendmentKinds, amendmentStatuses } from '../vocabulary.ts'

const amendmentSchema = z.object({
  id: idSchema,
  periodId: z.string(),
  kind: z.enum(amendmentKinds),
  /** pending: waits for a second person. */
  status: z.enum(amendmentStatuses),
  /** What a credit note or a voiding takes off; empty for other kinds. */
  amount: z.string(),
  /** The messages that a credit note holds for review; empty for none. */
  messageIds: z.array(z.string()),
  /** The new address, and the one before; empty for other kinds. */
  usdtAddress: z.string(),
  formerAddress: z.string(),
  /** For staff. */
  reason: z.string(),
  /** What the client reads; may be empty. */
  clientReason: z.string(),
  /** Names are shown to staff alone. */
  requestedBy: z.string(),
  requestedAt: z.string(),
  acceptableFrom: z.string(),
  decidedBy: z.string(),
  decidedAt: z.string().nullable(),
  decisionReason: z.string(),
})
export type Amendment = z.infer<typeof amendmentSchema>

/** The largest number of messages that one credit note holds. */
const creditedMessagesMax = 200

const amendmentInputSchema = z.object({
  reason: reasonSchema,
  /** What the client reads on the bill and in the credit note. */
  clientReason: lineSchema(500).default(''),
})

const creditNoteInputSchema = amendmentInputSchema
  .extend({
    /** What is taken off. */
    amount: amountInputSchema.optional(),
    /** Or the messages of this bill that are held for review; their sum is taken off. */
    messageIds: z.array(z.string().trim().min(1).max(64)).min(1).max(creditedMessagesMax).optional(),
  })
  .refine(({ amount, messageIds }) => (amount === undefined) !== (messageIds === undefined), {
    path: ['amount'],
    message: 'Enter either an amount or messages',
  })

export const amendmentRoutes = routes({
  listAmendments: {
    method: 'GET',
    path: '/api/billing/periods/{id}/amendments',
    summary: 'What was done about a bill before its payment, oldest first; a client sees what is in force.',
    access: 'payment',
    params: periodParams,
    response: z.array(amendmentSchema),
  },
  withholdPeriod: {
    method: 'PUT',
    path: '/api/billing/periods/{id}/withhold',
    summary: 'Keep a bill from being paid while it is reviewed.',
    access: 'paymentManagement',
    fresh: 'hour',
    params: periodParams,
    body: amendmentInputSchema,
    response: amendmentSchema,
    isIdempotent: true,
  },
  resumePeriod: {
    method: 'PUT',
    path: '/api/billing/periods/{id}/resume',
    summary: 'Let a withheld bill be paid again.',
    access: 'paymentManagement',
    fresh: 'hour',
    params: periodParams,
    body: amendmentInputSchema,
    response: amendmentSchema,
    isIdempotent: true,
  },
  readdressPeriod: {
    method: 'PUT',
    path: '/api/billing/periods/{id}/readdress',
    summary:
      "Ask for a bill, and the client's payouts to the same address, to go to the address that the client's profile has now. Takes two persons and the waiting time of addresses.",
    access: 'paymentManagement',
    fresh: 'now',
    params: periodParams,
    body: amendmentInputSchema,
    response: amendmentSchema,
    isIdempotent: true,
  },
  voidPeriod: {
    method: 'PUT',
    path: '/api/billing/periods/{id}/void',
    summary:
      'Void an unpaid bill. What is due of it moves into the open period, whose bill is made anew at its close. Above the limit a second person accepts it.',
    access: 'moneyAdjust',
    fresh: 'hour',
    params: periodParams,
    body: amendmentInputSchema,
    response: amendmentSchema,
    isIdempotent: true,
  },
  createCreditNote: {
    method: 'POST',
    path: '/api/billing/periods/{id}/credit-notes',
    summary:
      'Take an amount off an unpaid bill, or messages of it that are held for review. Above the limit a second person accepts it.',
    access: 'moneyAdjust',
    fresh: 'hour',
    params: periodParams,
    body: creditNoteInputSchema,
    // 200 message ids of 64 characters.
    bodyLimitBytes: 32 * 1024,
    response: amendmentSchema,
    status: 201,
    isIdempotent: true,
  },
  decideAmendment: {
    method: 'PUT',
    path: '/api/billing/amendments/{id}/decide',
    summary: 'A second person accepts or rejects an amendment that waits; whoever asked may take it back.',
    access: 'paymentManagement',
    fresh: 'now',
    params: idParams,
    body: decisionSchema,
    response: amendmentSchema,
  },
})
