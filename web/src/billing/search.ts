import { ownPeriodSorts, paymentSorts, payoutSorts, periodSorts } from '@tollgate/contract/billing.ts'
import { holdSorts } from '@tollgate/contract/integrity.ts'
import { adjustmentSorts } from '@tollgate/contract/treasury.ts'
import {
  adjustmentStatuses,
  holdStatuses,
  paymentStatuses,
  periodStatuses,
} from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

const orderSchema = z.enum(['asc', 'desc']).catch('desc')

export const paymentSearch = z.object({
  tab: z.enum(['profile', 'billing', 'check']).catch('profile'),
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
  /** Of Billing History. */
  sort: z.enum(ownPeriodSorts).catch('newest'),
  order: orderSchema,
  /** Of the payouts below it. */
  payoutSort: z.enum(payoutSorts).catch('createdAt'),
  payoutOrder: orderSchema,
})

/** One address for all tabs, so each has names of its own for its search, filter and sort. */
export const managementSearch = z.object({
  tab: z.enum(['bills', 'history', 'adjustments', 'holds']).catch('bills'),
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...periodStatuses]).catch('all'),
  sort: z.enum(periodSorts).catch('due'),
  order: orderSchema,
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
  text: z.string().max(100).catch(''),
  payment: z.enum(['all', ...paymentStatuses]).catch('all'),
  paymentSort: z.enum(paymentSorts).catch('createdAt'),
  paymentOrder: orderSchema,
  adjustment: z.enum(['all', ...adjustmentStatuses]).catch('all'),
  adjustmentSort: z.enum(adjustmentSorts).catch('createdAt'),
  adjustmentOrder: orderSchema,
  held: z.string().max(100).catch(''),
  hold: z.enum(['all', ...holdStatuses]).catch('open'),
  holdSort: z.enum(holdSorts).catch('createdAt'),
  holdOrder: orderSchema,
})

type ManagementState = z.output<typeof managementSearch>

/** What a list's search, status filter and sort are called in the address. */
export interface ListNames {
  /** Absent where there is no search box. */
  readonly search?: 'search' | 'text' | 'held'
  readonly status: 'status' | 'payment' | 'adjustment' | 'hold'
  readonly sort: keyof ManagementState
  readonly order: keyof ManagementState
}
