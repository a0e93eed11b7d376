// Bills of the weeks: periods, their lines, and the rules by which they are paid. Spec §2, §7.
import { z } from 'zod'
import { approvalSchema, debtFields, paymentDecisionSchema, transactionHashSchema } from './debts.ts'
import { idSchema, orderSchema, pageQuery, searchSchema, userIdSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { sentenceSchema } from '../sentences.ts'
import { amendmentKinds, paymentVerifications, periodStatuses } from '../vocabulary.ts'

const unbilledSchema = z.object({
  /** In payouts of numbers with a price of their own. */
  payouts: z.string(),
  /** Held when the period closed. */
  held: z.string(),
  /** Refused in the period. */
  refused: z.string(),
  /** What the client owes; it is carried over to the next period. */
  carried: z.string(),
})

const billingPeriodSchema = z.object({
  /** Cycle and user; the same before and after the close. */
  id: z.string(),
  userId: z.int(),
  userName: z.string(),
  userEmail: z.string(),
  usdtAddress: z.string(),
  periodStart: z.string(),
  periodEnd: z.string(),
  totalSmsCount: z.int(),
  /** The records behind the count, as a path of the records list. */
  recordsUrl: z.string(),
  /** True when they were removed after their time or archived, so that this list is empty; the statement has them. */
  areRecordsRemoved: z.boolean().optional(),
  totalCost: z.string(),
  /** The effective average, rounded to 6 decimals; the lines have the exact rates. */
  costPerSms: z.string(),
  ...debtFields,
  status: z.enum(periodStatuses),
  billSentAt: z.string().nullable(),
  /** When the bill may be paid. */
  payableFrom: z.string().nullable(),
  paidAt: z.string().nullable(),
  paymentTxHash: z.string().nullable(),
  /** Null while nobody has entered a hash. */
  paymentVerification: z.enum(paymentVerifications).nullable(),
  /** The result of the check, as a sentence. Staff read why a person decided instead, once one has. */
  verificationNote: z.string(),
  approval: approvalSchema.nullable(),
  /** Since when the bill is not paid, and why; the client reads only what was written for it. Null while it may be. */
  withheld: z.object({ at: z.string(), reason: z.string() }).nullable(),
  /** Taken off by credit notes. */
  creditedAmount: z.string(),
  /** For staff: the payment run that it is in, which nobody pays it beside. */
  runId: idSchema.nullable(),
  /** For staff: an amendment that waits for a second person. */
  pendingAmendment: z
    .object({
      id: idSchema,
      kind: z.enum(amendmentKinds),
      /** What it takes off; empty for a change of the address. */
      amount: z.string(),
      usdtAddress: z.string(),
      reason: z.string(),
      requestedBy: z.string(),
      requestedAt: z.string(),
      /** Before this time nobody can accept it. */
      acceptableFrom: z.string(),
    })
    .nullable(),
  /** Why no money may go to the account; absent unless its ledger did not balance at the last check. */
  parkedReason: z.string().optional(),
  parkedWords: z.array(sentenceSchema).optional(),
  /** What became of the amounts of a period without a bill; absent for other periods. */
  unbilled: unbilledSchema.optional(),
  createdAt: z.string(),
})
export type BillingPeriod = z.infer<typeof billingPeriodSchema>

/** A message that was held for review. */
const reviewedMessageSchema = z.object({
  /** As it was acknowledged to the supplier. */
  id: z.string(),
  at: z.string(),
  number: z.string(),
  amount: z.string(),
  /** The period in which the message arrived. */
  heldIn: z.string(),
})
export type ReviewedMessage = z.infer<typeof reviewedMessageSchema>

const periodLineSchema = z.object({
  /** Empty for an adjustment, such as money released from a hold. */
  number: z.string(),
  /** Why an adjustment was made; empty for traffic. */
  reason: z.string(),
  /** When it was made; null for traffic and for several together. */
  at: z.string().nullable(),
  /** review: messages that were refused in the period, or held when it closed. They are listed with an amount of 0. */
  kind: z.enum(['traffic', 'adjustment', 'review']),
  rate: z.string(),
  smsCount: z.int(),
  amount: z.string(),
  /** The records behind the line, as a path of the records list. */
  recordsUrl: z.string(),
  /** The messages of a line of releases or of review, the first hundred by time; empty for other lines. */
  messages: z.array(reviewedMessageSchema),
  /** How many messages there are in all, and what they are worth. */
  messageCount: z.int(),
  messageAmount: z.string(),
  /** The same by number and rate, the hundred that are worth most. */
  messageSums: z.array(
    z.object({ number: z.string(), rate: z.string(), count: z.int(), amount: z.string() }),
  ),
})
export type PeriodLine = z.infer<typeof periodLineSchema>

/** The rules for every payment of this gateway. */
const billingTermsSchema = z.object({
  /** Days between the close of a period and the day its bill may be paid. */
  payableAfterDays: z.int(),
  /** Hours before a changed address is used. */
  addressWaitHours: z.int(),
  /** USDT above which a second person approves. */
  secondPersonAbove: z.string(),
  /** What the caller moved alone in the last 24 hours. It counts together with the next act. */
  movedAlone: z.string(),
  /** Whether a TRON node is configured, so that transfers are looked up. */
  isCheckedOnChain: z.boolean(),
  /** Followed by a transaction hash it is a page of the chain's explorer; empty when no explorer is known. */
  explorerUrl: z.string(),
})
export type BillingTerms = z.infer<typeof billingTermsSchema>

const billingSummarySchema = z.object({
  /** The bills and payouts that can be paid now. */
  ready: z.object({ count: z.int(), amount: z.string(), oldestAt: z.string().nullable() }),
  open: z.object({
    clientCount: z.int(),
    smsCount: z.int(),
    amount: z.string(),
    periodEnd: z.string().nullable(),
  }),
  /** Confirmed payments of bills, of payouts and outside both, since the day (UTC) 30 days ago; the amount is what arrived. */
  paid: z.object({ count: z.int(), amount: z.string(), verifiedCount: z.int(), since: z.string() }),
  /** Held records, and the holds that somebody has to decide on. */
  held: z.object({ holdCount: z.int(), smsCount: z.int(), amount: z.string() }),
  /** Why periods that are due are not closed; null when none waits. */
  closeWait: z
    .object({
      cause: z.enum(['clock', 'chain', 'behind']),
      explanation: z.string(),
      words: z.array(sentenceSchema),
      /** How many periods are due. */
      cycleCount: z.int(),
      since: z.string(),
      /** Whether a person's word is enough: never when the clocks of gateway and database differ. */
      canGoOn: z.boolean(),
    })
    .nullable(),
})
export type BillingSummary = z.infer<typeof billingSummarySchema>

export const periodParams = z.object({ id: z.string().max(40) })

/** Sort orders of the lists. `due`: what has waited longest to be paid, then what is open, then what is paid. */
export const periodSorts = ['newest', 'due', 'userName', 'totalSmsCount', 'totalCost'] as const
export const ownPeriodSorts = ['newest', 'due', 'totalSmsCount', 'totalCost'] as const

const periodQuery = z.object({
  /** Periods without a bill are listed only with `no_bill`. */
  status: z.enum(periodStatuses).optional(),
  search: searchSchema.optional(),
  userId: userIdSchema.optional(),
})

export const billingRoutes = routes({
  listPeriods: {
    method: 'GET',
    path: '/api/billing/periods',
    summary:
      "The caller's billing periods, newest first unless said; the open one is pending, with live figures.",
    access: 'payment',
    query: pageQuery.extend({
      sort: z.enum(ownPeriodSorts).default('newest'),
      order: orderSchema,
      /** Also the closed periods without a bill. */
      unbilled: z.enum(['true', 'false']).default('false'),
    }),
    response: z.array(billingPeriodSchema),
    isPaged: true,
  },
  exportPeriods: {
    method: 'GET',
    path: '/api/billing/periods/export',
    summary: "The caller's closed billing periods as CSV, with those that came to no bill.",
    access: 'payment',
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  getPeriod: {
    method: 'GET',
    path: '/api/billing/periods/{id}',
    summary: "One billing period: the caller's own; staff see all.",
    access: 'payment',
    params: periodParams,
    response: billingPeriodSchema,
  },
  getBillingTerms: {
    method: 'GET',
    path: '/api/billing/terms',
    summary: 'The rules for every payment: waiting times, the second person, the check on chain.',
    access: 'payment',
    query: z.object({
      /** Leaves out of `movedAlone` what was about this, such as `billing_period 3-17`: it would count once. */
      about: z.string().max(60).optional(),
    }),
    response: billingTermsSchema,
  },
  getBillingSummary: {
    method: 'GET',
    path: '/api/billing/summary',
    summary: 'Sums over all clients: ready for payment, open, paid and held.',
    access: 'paymentManagement',
    response: billingSummarySchema,
  },
  listAllPeriods: {
    method: 'GET',
    path: '/api/billing/all-periods',
    summary: "Everybody's billing periods, newest first unless said.",
    access: 'paymentManagement',
    query: pageQuery.extend({
      ...periodQuery.shape,
      sort: z.enum(periodSorts).default('newest'),
      order: orderSchema,
    }),
    response: z.array(billingPeriodSchema),
    isPaged: true,
  },
  exportAllPeriods: {
    method: 'GET',
    path: '/api/billing/all-periods/export',
    summary: "Everybody's billing periods as CSV.",
    access: 'paymentManagement',
    query: periodQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  listPeriodLines: {
    method: 'GET',
    path: '/api/billing/periods/{id}/lines',
    summary: 'What a bill is made of: a line for each number and rate.',
    access: 'payment',
    params: periodParams,
    response: z.array(periodLineSchema),
  },
  payPeriod: {
    method: 'PUT',
    path: '/api/billing/periods/{id}/pay',
    summary: 'Mark a bill as paid by a transfer. Above the limit a second person enters the same hash.',
    access: 'paymentManagement',
    fresh: 'now',
    params: periodParams,
    body: z.object({ transactionHash: transactionHashSchema }),
    response: billingPeriodSchema,
    isIdempotent: true,
  },
  decidePeriodPayment: {
    method: 'PUT',
    path: '/api/billing/periods/{id}/decide',
    summary: "Decide on the bill's newest payment, see PUT /api/payments/{id}/decide.",
    access: 'paymentManagement',
    fresh: 'now',
    params: periodParams,
    body: paymentDecisionSchema,
    response: billingPeriodSchema,
  },
})
