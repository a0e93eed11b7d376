import { daySchema } from '@tollgate/contract/fields.ts'
import { adjustmentSorts } from '@tollgate/contract/adjustments/adjustments.ts'
import { ownPeriodSorts, periodSorts } from '@tollgate/contract/billing/bills.ts'
import { paymentSorts } from '@tollgate/contract/billing/payments.ts'
import { payableSorts } from '@tollgate/contract/payment-runs/payables.ts'
import { payoutSorts } from '@tollgate/contract/billing/payouts.ts'
import { invoiceSorts } from '@tollgate/contract/invoices/invoices.ts'
import { transferSorts } from '@tollgate/contract/treasury/transfers.ts'
import { unownedGroups } from '@tollgate/contract/records/unowned.ts'
import {
  adjustmentStatuses,
  debtKinds,
  invoiceKinds,
  movementTypes,
  payableSteps,
  paymentStatuses,
  payoutStatuses,
  periodStatuses,
  transferStates,
} from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'
import { holdsSearch } from '../integrity/search.ts'

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
  /** Sort of Billing History. */
  sort: z.enum(ownPeriodSorts).catch('newest'),
  order: orderSchema,
  ...payoutSort,
  ...accountSearch.shape,
  ...invoiceList,
})

/** The filter and sort of the payouts on the page Number Inventory. */
export const payoutsSearch = z.object({
  payout: z.enum(['all', ...payoutStatuses]).catch('all'),
  ...payoutSort,
})
export type PayoutsSearch = z.output<typeof payoutsSearch>

/** All tabs share one address, so each tab has its own names for search, filter and sort. */
export const paymentManagementSearch = z.object({
  tab: z
    .enum([
      'bills',
      'payables',
      'runs',
      'transfers',
      'aging',
      'history',
      'invoices',
      'adjustments',
      'unowned',
      'holds',
    ])
    .catch('bills'),
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...periodStatuses]).catch('all'),
  sort: z.enum(periodSorts).catch('due'),
  order: orderSchema,
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
  payableText: z.string().max(100).catch(''),
  payable: z.enum(['all', ...payableSteps]).catch('all'),
  payableKind: z.enum(['all', ...debtKinds]).catch('all'),
  payableSort: z.enum(payableSorts).catch('owedSince'),
  payableOrder: z.enum(['asc', 'desc']).catch('asc'),
  text: z.string().max(100).catch(''),
  payment: z.enum(['all', ...paymentStatuses]).catch('all'),
  paymentSort: z.enum(paymentSorts).catch('createdAt'),
  paymentOrder: orderSchema,
  adjustment: z.enum(['all', ...adjustmentStatuses]).catch('all'),
  adjustmentSort: z.enum(adjustmentSorts).catch('createdAt'),
  adjustmentOrder: orderSchema,
  unownedFrom: dayText,
  unownedTo: dayText,
  unownedBy: z.enum(unownedGroups).catch('number'),
  /** The payment run in the dialog. */
  run: z.string().max(20).catch(''),
  transferText: z.string().max(100).catch(''),
  transfer: z.enum(['all', ...transferStates]).catch('all'),
  transferSort: z.enum(transferSorts).catch('at'),
  transferOrder: orderSchema,
  invoiceText: z.string().max(100).catch(''),
  ...invoiceList,
  ...holdsSearch.shape,
})
