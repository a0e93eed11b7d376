import { inventorySorts } from '@tollgate/contract/numbers/inventory.ts'
import { inventoryStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

export const inventorySearch = z.object({
  search: z.string().max(100).catch(''),
  /** The number in the drawer. */
  open: z.string().max(20).catch(''),
  status: z.enum(['all', ...inventoryStatuses]).catch('all'),
  country: z.string().max(100).catch(''),
  sort: z.enum(inventorySorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
})
