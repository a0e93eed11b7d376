import {
  adjustmentStatuses,
  billingStatuses,
  holdStatuses,
  paymentStatuses,
} from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const paymentSearch = z.object({
  tab: z.enum(['profile', 'billing', 'check']).catch('profile'),
  /** The bill in the drawer. */
  open: z.string().max(40).catch(''),
})

export const managementSearch = z.object({
  tab: z.enum(['bills', 'history', 'adjustments', 'holds']).catch('bills'),
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...billingStatuses]).catch('all'),
  /** Payment History's own filters. */
  text: z.string().max(100).catch(''),
  payment: z.enum(['all', ...paymentStatuses]).catch('all'),
  adjustment: z.enum(['all', ...adjustmentStatuses]).catch('all'),
  /** What is held: its search and filter. */
  held: z.string().max(100).catch(''),
  hold: z.enum(['all', ...holdStatuses]).catch('open'),
  open: z.string().max(40).catch(''),
})
