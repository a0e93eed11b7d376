import { deliveryStatuses } from '@tollgate/contract/endpoints/deliveries.ts'
import { z } from 'zod'

/** What the list of endpoints keeps in the address of Interconnection API. */
export const endpointsSearch = z.object({
  /** Staff: the client whose endpoints alone are listed; empty for all. */
  client: z.string().catch(''),
})
export type EndpointsSearch = z.output<typeof endpointsSearch>

/** What the page of an endpoint keeps in its address. */
export const deliveriesSearch = z.object({
  /** Which deliveries are listed. */
  delivery: z.enum(['all', ...deliveryStatuses]).catch('all'),
})
export type DeliveriesSearch = z.output<typeof deliveriesSearch>
