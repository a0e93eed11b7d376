import { daySchema } from '@tollgate/contract/fields.ts'
import { adjustmentSorts } from '@tollgate/contract/adjustments/adjustments.ts'
import { ownPeriodSorts, periodSorts } from '@tollgate/contract/billing/bills.ts'
import { paymentSorts } from '@tollgate/contract/billing/payments.ts'
import {
  payableSorts,
  payableViewNames,
  payableViews,
  type PayableView,
} from '@tollgate/contract/payment-runs/payables.ts'
import { payoutSorts } from '@tollgate/contract/billing/payouts.ts'
import { invoiceSorts } from '@tollgate/contract/invoices/invoices.ts'
import { transferSorts } from '@tollgate/contract/treasury/transfers.ts'
import { unownedGroups } from '@tollgate/contract/records/unowned.ts'
import {
  adjustmentStatuses,
  debtKinds,
  invoiceKinds,
  movementTypes,
  paymentStatuses,
  payoutStatuses,
  periodStatuses,
  transferStates,
} from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { holdsSearch, listedSearch } from '../integrity/search.ts'

const dayText = z.iso.date().catch('')
const orderSchema = z.enum(['asc', 'desc']).catch('desc')

/** The filters of the movements of a client's account. */
export const accountSearch = z.object({
  from: z.union([z.literal(''), daySchema]).catch(''),
  to: z.union([z.literal(''), daySchema]).catch(''),
  movement: z.enum(['all', ...movementTypes]).catch('all'),
})
export type AccountSearch = z.output<typeof accountSearch>

const invoiceList = {
  invoice: z.enum(['all', ...invoiceKinds]).catch('all'),
  invoiceSort: z.enum(invoiceSorts).catch('issuedAt'),
  invoiceOrder: orderSchema,
}

const payoutSort = { payoutSort: z.enum(payoutSorts).catch('createdAt'), payoutOrder: orderSchema }

export const paymentSearch = z.object({
  tab: z.enum(['profile', 'billing', 'account', 'invoices', 'check']).catch('profile'),
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
  /** The bill whose signed records are checked. */
  check: z.string().max(40).catch(''),
  /** Sort of Billing History. */
  sort: z.enum(ownPeriodSorts).catch('newest'),
  order: orderSchema,
  ...payoutSort,
  ...accountSearch.shape,
  ...invoiceList,
})

/** The filter and sort of all payouts. */
export const payoutsSearch = z.object({
  payout: z.enum(['all', ...payoutStatuses]).catch('all'),
  ...payoutSort,
})
export type PayoutsSearch = z.output<typeof payoutsSearch>

/** The filters and sorts of invoices and of adjustments, on the page Books. */
export const papersSearch = z.object({
  invoiceText: z.string().max(100).catch(''),
  ...invoiceList,
  adjustment: z.enum(['all', ...adjustmentStatuses]).catch('all'),
  adjustmentSort: z.enum(adjustmentSorts).catch('createdAt'),
  adjustmentOrder: orderSchema,
})
export type PapersSearch = z.output<typeof papersSearch>

/** What Pending Bills shows: what is due, by who has to do something; or all bills, or all payouts. */
const pendingViews = [...payableViewNames, 'bills', 'payouts'] as const
export type PendingView = (typeof pendingViews)[number]

/** All tabs share one address, so each list has its own names for search, filter and sort. */
const paymentManagementState = z.object({
  tab: z.enum(['bills', 'runs', 'history', 'review']).catch('bills'),
  view: z.enum(pendingViews).catch('pay'),
  payableText: z.string().max(100).catch(''),
  payableKind: z.enum(['all', ...debtKinds]).catch('all'),
  payableSort: z.enum(payableSorts).catch('owedSince'),
  payableOrder: z.enum(['asc', 'desc']).catch('asc'),
  billText: z.string().max(100).catch(''),
  billStatus: z.enum(['all', ...periodStatuses]).catch('all'),
  billSort: z.enum(periodSorts).catch('due'),
  billOrder: orderSchema,
  ...payoutsSearch.shape,
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
  /** The payment run in the dialog. */
  run: z.string().max(20).catch(''),
  /** What Payment History shows: payments, what left the wallets and is matched with nothing, or all that left them. */
  list: z.enum(['payments', 'unmatched', 'transfers']).catch('payments'),
  text: z.string().max(100).catch(''),
  payment: z.enum(['all', ...paymentStatuses]).catch('all'),
  /** The first day of the payments. */
  paidFrom: dayText,
  paymentSort: z.enum(paymentSorts).catch('createdAt'),
  paymentOrder: orderSchema,
  transferText: z.string().max(100).catch(''),
  transfer: z.enum(['all', ...transferStates]).catch('all'),
  transferSort: z.enum(transferSorts).catch('at'),
  transferOrder: orderSchema,
  review: z.enum(['holds', 'rules', 'lists', 'disputes', 'unowned']).catch('holds'),
  unownedFrom: dayText,
  unownedTo: dayText,
  unownedBy: z.enum(unownedGroups).catch('number'),
  ...holdsSearch.shape,
  ...listedSearch.shape,
})
export type PaymentManagementSearch = z.output<typeof paymentManagementState>

/** Addresses and saved views of before the page had four tabs keep what they say. */
export const paymentManagementSearch = z.preprocess(carryOver, paymentManagementState)

const formerNames: Readonly<Record<string, string>> = {
  search: 'billText',
  status: 'billStatus',
  sort: 'billSort',
  order: 'billOrder',
}

function carryOver(search: unknown): unknown {
  const found = Object.entries(search ?? {})
  const state = Object.fromEntries(found.map(([name, value]) => [formerNames[name] ?? name, value]))
  const { tab, payable } = state
  if (tab === 'payables')
    return { ...state, tab: 'bills', view: payableViewNames.find((view) => isStepOf(view, payable)) }
  if (tab === 'transfers') return { ...state, tab: 'history', list: 'transfers' }
  if (tab === 'holds' || tab === 'unowned') return { ...state, tab: 'review', review: tab }
  return found.some(([name]) => name in formerNames) ? { ...state, view: 'bills' } : state
}

const isStepOf = (view: PayableView, step: unknown): boolean =>
  payableViews[view].some((each) => each === step)
