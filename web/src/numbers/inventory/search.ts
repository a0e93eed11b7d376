import { payoutSorts } from '@tollgate/contract/billing.ts'
import { inventorySorts } from '@tollgate/contract/inventory.ts'
import { inventoryStatuses, payoutStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const inventorySearch = z.object({
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...inventoryStatuses]).catch('all'),
  country: z.string().max(100).catch(''),
  sort: z.enum(inventorySorts).catch('createdAt'),
  /** The payouts' own filter and sort. */
  payout: z.enum(['all', ...payoutStatuses]).catch('all'),
  payoutSort: z.enum(payoutSorts).catch('createdAt'),
  payoutOrder: z.enum(['asc', 'desc']).catch('desc'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
