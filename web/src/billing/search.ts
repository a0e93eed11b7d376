import { billingStatuses, paymentStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const paymentSearch = z.object({
  tab: z.enum(['profile', 'billing']).catch('profile'),
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
})

export const managementSearch = z.object({
  tab: z.enum(['bills', 'history']).catch('bills'),
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...billingStatuses]).catch('all'),
  /** Payment History's own filters. */
  text: z.string().max(100).catch(''),
  payment: z.enum(['all', ...paymentStatuses]).catch('all'),
  open: z.string().max(40).catch(''),
})
