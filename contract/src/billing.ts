// Money for clients: payment profiles, billing periods, payments and payouts. Spec §2, §3, §4, §7.
import { z } from 'zod'
import {
  lineSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdSchema,
  idSchema,
  idParams,
} from './fields.ts'
import { parseMicro } from './money.ts'
import { routes } from './route.ts'
import {
  amendmentKinds,
  paymentDifferences,
  paymentStatuses,
  paymentVerifications,
  payoutStatuses,
  periodStatuses,
} from './vocabulary.ts'

/** A transaction id on TRON: 64 hexadecimal digits in any case; kept in lower case. */
export const transactionHashSchema = z
  .string()
  .trim()
  .regex(/^[0-9a-fA-F]{64}$/, 'Enter the 64 hexadecimal digits of the transaction hash')
  .transform((hash) => hash.toLowerCase())

const profileSchema = z.object({
  fullName: z.string(),
  /** In force now; empty while the profile has none. */
  usdtAddress: z.string(),
  email: z.string(),
  /** A changed address that is not in force yet, and from when it will be. */
  pendingUsdtAddress: z.string().nullable(),
  pendingFrom: z.string().nullable(),
  /** Whether this gateway is set up to send mail. */
  sendsMail: z.boolean(),
})
export type PaymentProfile = z.infer<typeof profileSchema>

export const profileInputSchema = z.object({
  fullName: lineSchema(200).refine((text) => text !== '', 'Full name is required'),
  // The server checks prefix and checksum: a mistyped address would lose the money.
  usdtAddress: z.string().trim().min(1, 'USDT TRC20 address is required').max(100, 'Not a TRC20 address'),
  email: z.union([z.literal(''), z.email('Invalid email address').max(254)]).optional(),
})

/** Who requested a payment above the limit; a second person has to approve it. */
const approvalSchema = z.object({ requestedBy: z.string(), requestedAt: z.string() })

/** What is done with a debt: a bill or a payout. */
const debtFields = {
  /** What arrived for it; without a node, what was entered as paid. */
  receivedAmount: z.string(),
  /** What is still to be paid. */
  dueAmount: z.string(),
  /** The part that the client's credit or debts settled. */
  setOffAmount: z.string(),
  /** The part that was waived or taken off by a credit note. */
  reducedAmount: z.string(),
  /** The newest payment of it. */
  paymentId: z.string().nullable(),
}

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
  /** The result of the check, as a sentence. */
  verificationNote: z.string(),
  approval: approvalSchema.nullable(),
  /** Since when the bill is not paid, and why; the client reads only what was written for it. Null while it may be. */
  withheld: z.object({ at: z.string(), reason: z.string() }).nullable(),
  /** Taken off by credit notes. */
  creditedAmount: z.string(),
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
  /** The messages of a line of releases or of review; empty for other lines. */
  messages: z.array(reviewedMessageSchema),
})
export type PeriodLine = z.infer<typeof periodLineSchema>

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
  processedBy: z.string(),
  notes: z.string(),
  /** The bill or the payout that it pays. */
  periodId: z.string().nullable(),
  payoutId: z.string().nullable(),
  createdAt: z.string(),
})
export type Payment = z.infer<typeof paymentSchema>

export const amountInputSchema = z
  .union([z.string().trim(), z.number().transform(String)])
  .refine((text) => (parseMicro(text) ?? 0n) > 0n, 'Enter an amount above 0 with at most 6 decimals')

export const paymentInputSchema = z.object({
  userId: userIdSchema,
  amount: amountInputSchema,
  /** Default: the client's own. */
  usdtAddress: z.string().trim().max(100).optional(),
  transactionHash: z.union([z.literal(''), transactionHashSchema]).optional(),
  status: z.enum(paymentStatuses).default('pending'),
  notes: lineSchema(500).default(''),
})

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
  verificationNote: z.string(),
  approval: approvalSchema.nullable(),
  /** Why no money may go to the account; absent unless its ledger did not balance at the last check. */
  parkedReason: z.string().optional(),
})
export type Payout = z.infer<typeof payoutSchema>

/** The rules for every payment of this gateway. */
const billingTermsSchema = z.object({
  /** Days between the close of a period and the day its bill may be paid. */
  payableAfterDays: z.int(),
  /** Hours before a changed address is used. */
  addressWaitHours: z.int(),
  /** USDT above which a second person approves. */
  secondPersonAbove: z.string(),
  /** Whether a TRON node is configured, so that transfers are looked up. */
  isCheckedOnChain: z.boolean(),
  /** Followed by a transaction hash it is a page of the chain's explorer; empty when no explorer is known. */
  explorerUrl: z.string(),
})
export type BillingTerms = z.infer<typeof billingTermsSchema>

const billingSummarySchema = z.object({
  /** Closed and not paid. `failed` ones among them had a bad payment and can be paid again. */
  ready: z.object({
    count: z.int(),
    amount: z.string(),
    failedCount: z.int(),
    withheldCount: z.int(),
    confirmingCount: z.int(),
    /** A payment or an amendment of it waits for a second person. */
    approvalCount: z.int(),
    oldestBillSentAt: z.string().nullable(),
  }),
  open: z.object({
    clientCount: z.int(),
    smsCount: z.int(),
    amount: z.string(),
    periodEnd: z.string().nullable(),
  }),
  /** Bills paid in the last 30 days. */
  paid: z.object({ count: z.int(), amount: z.string(), verifiedCount: z.int() }),
  held: z.object({ smsCount: z.int(), amount: z.string() }),
  /** Why periods that are due are not closed; null when none waits. */
  closeWait: z
    .object({
      cause: z.enum(['clock', 'chain', 'behind']),
      explanation: z.string(),
      /** How many periods are due. */
      cycleCount: z.int(),
      since: z.string(),
      /** Whether a person's word is enough: never when the clocks of gateway and database differ. */
      canGoOn: z.boolean(),
    })
    .nullable(),
})
export type BillingSummary = z.infer<typeof billingSummarySchema>

/** What is known about an address before money is sent to it. */
const addressCheckSchema = z.object({
  /** Prefix, length and checksum are right, and it is neither the zero address, nor USDT's contract, nor ours. */
  isValid: z.boolean(),
  /** Why it is not valid, as sentences; empty when it is. */
  problem: z.string(),
  /** Number of payments that this user received at the address. */
  paidCount: z.int(),
  firstPaidAt: z.string().nullable(),
  /** Compared with the user's profile: its address in force, its pending change, another address, or none there. */
  profile: z.enum(['same', 'waiting', 'other', 'none']),
  /** Known addresses with the same first and last characters, and their owners; '' for a wallet of our own. */
  lookAlikes: z.array(z.object({ address: z.string(), userName: z.string() })),
  /** Whether USDT's contract refuses it; null without a node, or when the node gave no clear answer. */
  isBlacklisted: z.boolean().nullable(),
})
export type AddressCheck = z.infer<typeof addressCheckSchema>

export const periodParams = z.object({ id: z.string().max(40) })
export const reasonSchema = lineSchema(500).refine((text) => text !== '', 'Give the reason')
export const decisionSchema = z.object({ action: z.enum(['accept', 'reject']), reason: reasonSchema })
/** Without a difference, an accepted rest stays due and an accepted surplus becomes credit. */
const paymentDecisionSchema = decisionSchema.extend({ difference: z.enum(paymentDifferences).optional() })

/** Sort orders of the lists. `due`: what has waited longest to be paid, then what is open, then what is paid. */
export const periodSorts = ['newest', 'due', 'userName', 'totalSmsCount', 'totalCost'] as const
export const ownPeriodSorts = ['newest', 'due', 'totalSmsCount', 'totalCost'] as const
export const paymentSorts = ['createdAt', 'userName', 'amount', 'status', 'processedBy'] as const
export const payoutSorts = ['createdAt', 'userName', 'number', 'smsCount', 'amount', 'status'] as const
const payoutPageQuery = pageQuery.extend({
  sort: z.enum(payoutSorts).default('createdAt'),
  order: orderSchema,
})

const periodQuery = z.object({
  /** Periods without a bill are listed only with `no_bill`. */
  status: z.enum(periodStatuses).optional(),
  search: searchSchema.optional(),
  userId: userIdSchema.optional(),
})
const paymentQuery = z.object({
  search: searchSchema.optional(),
  status: z.enum(paymentStatuses).optional(),
  /** Those of one bill. */
  periodId: z.string().max(40).optional(),
  /** Those of one payout. */
  payoutId: idSchema.optional(),
})
const payoutQuery = z.object({ status: z.enum(payoutStatuses).optional() })

export const billingRoutes = routes({
  getProfile: {
    method: 'GET',
    path: '/api/user/profile',
    summary: "The caller's payment profile.",
    access: 'payment',
    response: profileSchema,
  },
  putProfile: {
    method: 'PUT',
    path: '/api/user/profile',
    summary: 'Save the payment profile. A changed address waits, and needs a recent sign-in.',
    access: 'payment',
    isFresh: true,
    body: profileInputSchema,
    response: profileSchema,
  },
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
  },
  getStatement: {
    method: 'GET',
    path: '/api/billing/periods/{id}/statement.pdf',
    summary: 'The statement of a closed period as PDF, with its lines.',
    access: 'payment',
    params: periodParams,
    stream: 'file',
    isHeavy: true,
  },
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
  },
  getBillingTerms: {
    method: 'GET',
    path: '/api/billing/terms',
    summary: 'The rules for every payment: waiting times, the second person, the check on chain.',
    access: 'payment',
    response: billingTermsSchema,
  },
  getBillingSummary: {
    method: 'GET',
    path: '/api/billing/summary',
    summary: 'Sums over all clients: ready for payment, open, paid and held.',
    access: 'paymentManagement',
    response: billingSummarySchema,
  },
  checkAddress: {
    method: 'GET',
    path: '/api/payments/address-check',
    summary: 'What is known of an address before a payment to this user goes there.',
    access: 'paymentManagement',
    query: z.object({ userId: userIdSchema, address: z.string().trim().min(1).max(100) }),
    response: addressCheckSchema,
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
    isFresh: true,
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
    isFresh: true,
    params: periodParams,
    body: paymentDecisionSchema,
    response: billingPeriodSchema,
  },
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
  },
  createPayment: {
    method: 'POST',
    path: '/api/payments',
    summary: 'Write down a payment made outside the bills.',
    access: 'paymentManagement',
    isFresh: true,
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
    isFresh: true,
    params: idParams,
    body: paymentDecisionSchema,
    response: paymentSchema,
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
    isFresh: true,
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
    isFresh: true,
    params: idParams,
    body: paymentDecisionSchema,
    response: payoutSchema,
  },
})
