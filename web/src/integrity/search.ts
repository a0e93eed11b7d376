import { holdSorts } from '@tollgate/contract/integrity/integrity.ts'
import { holdStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

/** What the list of holds keeps in the address of Payment Management. */
export const holdsSearch = z.object({
  held: z.string().max(100).catch(''),
  hold: z.enum(['all', ...holdStatuses]).catch('open'),
  holdSort: z.enum(holdSorts).catch('createdAt'),
  holdOrder: z.enum(['asc', 'desc']).catch('desc'),
})
export type HoldsSearch = z.output<typeof holdsSearch>
