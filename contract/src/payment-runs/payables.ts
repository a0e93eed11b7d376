// Payables: every bill and payout that is not settled, in one list, each with the next step that pays it.
import { z } from 'zod'
import { debtFields } from '../billing/debts.ts'
import { idSchema, pageQuery, searchSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { debtKinds, dueStates, payableSteps, type PayableStep } from '../vocabulary.ts'

/** The views of the list: by whom something is to be done, with the steps that each shows. */
export const payableViews = {
  /** Nothing keeps it from being paid now. */
  pay: ['pay'],
  client: ['no_address'],
  us: ['approve', 'decide', 'stopped', 'parked', 'not_yet'],
  run: ['in_run', 'confirming'],
} as const satisfies Readonly<Record<string, readonly PayableStep[]>>
export type PayableView = keyof typeof payableViews
export const payableViewNames = ['pay', 'client', 'us', 'run'] as const satisfies readonly PayableView[]

const payableSchema = z.object({
  /** The bill `3-17`, or the payout `payout-5`. */
  reference: z.string(),
  kind: z.enum(debtKinds),
  userId: z.int(),
  userName: z.string(),
  /** The number of a payout; empty for a bill. */
  number: z.string(),
  periodStart: z.string(),
  periodEnd: z.string(),
  /** When the bill was sent, or the payout was made: its age counts from then. */
  owedSince: z.string(),
  payableFrom: z.string(),
  smsCount: z.int(),
  /** The records behind the count, as a path of the records list. */
  recordsUrl: z.string(),
  amount: z.string(),
  ...debtFields,
  /** Empty while the client has given none. */
  usdtAddress: z.string(),
  step: z.enum(payableSteps),
  /** Who entered a payment of it that waits for a second person; empty without one. */
  askedBy: z.string(),
  /** The payment run that it is in; null in none. */
  runId: idSchema.nullable(),
})
export type Payable = z.infer<typeof payableSchema>

const summarySchema = z.object({
  /** Of each step that some debt is at. */
  steps: z.array(z.object({ step: z.enum(payableSteps), count: z.int(), dueAmount: z.string() })),
  count: z.int(),
  dueAmount: z.string(),
})
export type PayablesSummary = z.infer<typeof summarySchema>

const ownDueSchema = z.object({
  /** What is not paid of bills and payouts. */
  dueAmount: z.string(),
  count: z.int(),
  /** By state, what is nearest to its payment first. */
  parts: z.array(
    z.object({
      state: z.enum(dueStates),
      count: z.int(),
      dueAmount: z.string(),
      /** The oldest of it: in a run, since when; not_yet: from when it can be paid; else since when it is owed. */
      at: z.string(),
      /** The bill, when it is one alone. */
      periodId: z.string().nullable(),
    }),
  ),
})
export type OwnDue = z.infer<typeof ownDueSchema>

export const payableSorts = ['owedSince', 'dueAmount', 'userName'] as const

const payableQuery = z.object({
  /** In the client's name, the number or the reference. */
  search: searchSchema.optional(),
  kind: z.enum(debtKinds).optional(),
})
const stepQuery = payableQuery.extend({
  step: z.enum(payableSteps).optional(),
  /** Those whose step is one of a view. */
  view: z.enum(payableViewNames).optional(),
})

export const payableRoutes = routes({
  listPayables: {
    method: 'GET',
    path: '/api/billing/payables',
    summary: 'Bills and payouts that are not settled, the oldest first unless said, each with its next step.',
    access: 'paymentManagement',
    query: pageQuery.extend({
      ...stepQuery.shape,
      sort: z.enum(payableSorts).default('owedSince'),
      order: z.enum(['asc', 'desc']).default('asc'),
    }),
    response: z.array(payableSchema),
    isPaged: true,
  },
  getOwnDue: {
    method: 'GET',
    path: '/api/billing/due',
    summary: 'What the caller is owed from bills and payouts, and how far its payment is.',
    access: 'payment',
    response: ownDueSchema,
  },
  getPayablesSummary: {
    method: 'GET',
    path: '/api/billing/payables/summary',
    summary: 'What is due of bills and payouts, in all and by next step.',
    access: 'paymentManagement',
    query: payableQuery,
    response: summarySchema,
  },
  exportPayables: {
    method: 'GET',
    path: '/api/billing/payables/export',
    summary: 'The same list as CSV.',
    access: 'paymentManagement',
    query: stepQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
})
