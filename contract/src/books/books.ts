// The books: the account of each client with every movement, and what is owed to all of them now or at a past instant.
import { z } from 'zod'
import {
  daySchema,
  idSchema,
  instantSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdParams,
} from '../fields.ts'
import { routes } from '../route.ts'
import { movementTypes } from '../vocabulary.ts'

/** Days in UTC, both included; without one the account is shown from its beginning, or to now. */
const daySpan = { from: daySchema.optional(), to: daySchema.optional() }

/** What is owed from bills and payouts, by age since the bill was sent or the payout was made. */
const agedFields = {
  days7: z.string(),
  days14: z.string(),
  days30: z.string(),
  older: z.string(),
}

const accountSchema = z.object({
  userId: z.int(),
  userName: z.string(),
  /** Billed and not paid, less the credit: what the platform owes; below 0 when the client has received more. */
  balance: z.string(),
  /** What is due of bills and payouts, before the credit. */
  billed: z.string(),
  ...agedFields,
  credit: z.string(),
  /** Earned in periods without a bill yet; below 0 when the client owes from a correction. */
  unbilled: z.string(),
  held: z.string(),
  /** Kept as reserve. */
  reserved: z.string(),
  /** What is kept, by the day of its release; at most 100. */
  reserves: z.array(z.object({ periodId: z.string(), amount: z.string(), releaseAt: z.string() })),
  /** What arrived by all payments so far. */
  received: z.string(),
  /** The days that were requested: what stood before them, what was added and taken off, and what stood at their end. */
  span: z.object({
    opening: z.string(),
    added: z.string(),
    settled: z.string(),
    closing: z.string(),
  }),
})
export type ClientAccount = z.infer<typeof accountSchema>

const movementSchema = z.object({
  /** Grows with each posting. */
  id: idSchema,
  at: z.string(),
  type: z.enum(movementTypes),
  /** By how much it changed the balance. */
  amount: z.string(),
  /** The balance after it. */
  balance: z.string(),
  /** By how much it changed what is earned and not billed, without messages. */
  unbilledAmount: z.string(),
  /** By how much it changed the credit. */
  creditAmount: z.string(),
  /** What arrived by it, for a payment; below 0 when the payment was taken back. */
  receivedAmount: z.string(),
  /** The bill that it is about; null for none. */
  periodId: z.string().nullable(),
  payoutId: z.string().nullable(),
  /** The settlement cycle that it belongs to. */
  periodStart: z.string(),
  periodEnd: z.string(),
  transactionHash: z.string(),
  /** The reason of a correction or credit note, as the client reads it. */
  note: z.string(),
})
export type Movement = z.infer<typeof movementSchema>

const movementQuery = z.object({ ...daySpan, type: z.enum(movementTypes).optional() })
const movementPageQuery = pageQuery.extend({ ...movementQuery.shape, order: orderSchema })

/** A client in the list of all accounts. */
const accountRowSchema = z.object({
  userId: z.int(),
  userName: z.string(),
  balance: z.string(),
  billed: z.string(),
  ...agedFields,
  credit: z.string(),
  oldestAt: z.string().nullable(),
})
export type ListedAccount = z.infer<typeof accountRowSchema>

export const accountSorts = ['userName', 'balance', 'billed', 'credit', 'older'] as const
const accountQuery = z.object({
  search: searchSchema.optional(),
  /** owed: only accounts with a balance or a credit. */
  show: z.enum(['all', 'owed']).default('all'),
})

const accrualFields = {
  /** Earned, not billed, and not held. */
  unbilled: z.string(),
  held: z.string(),
  /** Billed, and not paid, set off, waived or credited. */
  billed: z.string(),
  /** What clients had received beyond every debt. */
  credit: z.string(),
  /** All that was owed: unbilled, held and billed, less the credit. */
  owed: z.string(),
  /** What had been paid until then. */
  paid: z.string(),
}
const accrualsSchema = z.object({
  at: z.string(),
  clientCount: z.int(),
  totals: z.object(accrualFields),
  /** The 500 to whom most was owed; the export has all. */
  clients: z.array(z.object({ userId: z.int(), userName: z.string(), ...accrualFields })),
})
export type Accruals = z.infer<typeof accrualsSchema>
/** Without a time: now. */
const accrualQuery = z.object({ at: instantSchema.optional() })

export const booksRoutes = routes({
  getOwnAccount: {
    method: 'GET',
    path: '/api/billing/account',
    summary: "The caller's account: what is owed, by age, and the sums of some days.",
    access: 'payment',
    query: z.object(daySpan),
    response: accountSchema,
  },
  listOwnMovements: {
    method: 'GET',
    path: '/api/billing/account/movements',
    summary: "Every movement of the caller's account with the balance after it, newest first unless said.",
    access: 'payment',
    query: movementPageQuery,
    response: z.array(movementSchema),
    isPaged: true,
    onReplica: 'current',
  },
  exportOwnMovements: {
    method: 'GET',
    path: '/api/billing/account/movements/export',
    summary: "The movements of the caller's account as CSV, oldest first.",
    access: 'payment',
    query: movementQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  listAccounts: {
    method: 'GET',
    path: '/api/books/accounts',
    summary: 'The accounts of all clients with balance and age of what is owed.',
    access: 'paymentManagement',
    query: pageQuery.extend({
      ...accountQuery.shape,
      sort: z.enum(accountSorts).default('balance'),
      order: orderSchema,
    }),
    response: z.array(accountRowSchema),
    isPaged: true,
    onReplica: 'current',
  },
  getAccountTotals: {
    method: 'GET',
    path: '/api/books/accounts/totals',
    summary: 'The sums of all accounts.',
    access: 'paymentManagement',
    response: accountRowSchema.omit({ userId: true, userName: true, oldestAt: true }).extend({
      clientCount: z.int(),
    }),
  },
  exportAccounts: {
    method: 'GET',
    path: '/api/books/accounts/export',
    summary: 'The accounts of all clients as CSV.',
    access: 'paymentManagement',
    query: accountQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  getAccount: {
    method: 'GET',
    path: '/api/books/accounts/{id}',
    summary: "A client's account, see GET /api/billing/account.",
    access: 'paymentManagement',
    params: userIdParams,
    query: z.object(daySpan),
    response: accountSchema,
  },
  listMovements: {
    method: 'GET',
    path: '/api/books/accounts/{id}/movements',
    summary: "Every movement of a client's account with the balance after it, newest first unless said.",
    access: 'paymentManagement',
    params: userIdParams,
    query: movementPageQuery,
    response: z.array(movementSchema),
    isPaged: true,
    onReplica: 'current',
  },
  exportMovements: {
    method: 'GET',
    path: '/api/books/accounts/{id}/movements/export',
    summary: "The movements of a client's account as CSV, oldest first.",
    access: 'paymentManagement',
    params: userIdParams,
    query: movementQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  getAccruals: {
    method: 'GET',
    path: '/api/books/accruals',
    summary: 'What was earned and not billed, and billed and not paid, at an instant.',
    access: 'paymentManagement',
    query: accrualQuery,
    response: accrualsSchema,
    isHeavy: true,
    onReplica: 'current',
  },
  exportAccruals: {
    method: 'GET',
    path: '/api/books/accruals/export',
    summary: 'The same for every client as CSV.',
    access: 'paymentManagement',
    query: accrualQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
})
