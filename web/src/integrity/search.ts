import { holdSorts } from '@tollgate/contract/integrity/integrity.ts'
import { listedStates } from '@tollgate/contract/integrity/listed-senders.ts'
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

/** What the hot list keeps there. */
export const listedSearch = z.object({
  listed: z.string().max(100).catch(''),
  listedState: z.enum(['all', ...listedStates]).catch('active'),
})
export type ListedSearch = z.output<typeof listedSearch>
