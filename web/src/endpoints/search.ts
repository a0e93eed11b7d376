import { deliveryStatuses } from '@tollgate/contract/endpoints/deliveries.ts'
import { z } from 'zod'

/** What the list of endpoints keeps in the address of Interconnection API. */
export const endpointsSearch = z.object({
  /** The endpoint in the drawer. */
  open: z.string().catch(''),
  /** Staff: the client whose endpoints alone are listed; empty for all. */
  client: z.string().catch(''),
  /** Which deliveries the drawer lists. */
  delivery: z.enum(['all', ...deliveryStatuses]).catch('all'),
})
export type EndpointsSearch = z.output<typeof endpointsSearch>
