import { deliveryStatuses } from '@tollgate/contract/endpoints.ts'
import { linkKinds } from '@tollgate/contract/interconnection.ts'
import { z } from 'zod'

export const interconnectionSearch = z.object({
  tab: z.enum(['connections', 'endpoints', 'monitoring']).catch('connections'),
  /** The endpoint in the drawer. */
  open: z.string().catch(''),
  delivery: z.enum(['all', ...deliveryStatuses]).catch('all'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  activity: z.enum(['all', ...linkKinds]).catch('all'),
})
export type InterconnectionSearch = z.output<typeof interconnectionSearch>
