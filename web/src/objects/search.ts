import { z } from 'zod'
import { accountSearch } from '../billing/search.ts'
import { deliveriesSearch } from '../endpoints/search.ts'
import { smppTrafficSearch } from '../smpp-traffic/search.ts'
import { holdsSearch } from '../integrity/search.ts'

/** What the page of one object keeps in its address. */
export const objectSearch = z.object({
  /** Each kind has its own tabs; without one, the first. */
  tab: z.string().max(20).catch(''),
  /** Of a person with both: what it received as a client, or sent as a supplier. Empty for the one with messages. */
  side: z.enum(['client', 'supplier', '']).catch(''),
  /** Of a supplier's own side: the hours, and the message_id that is looked for. */
  hours: smppTrafficSearch.shape.hours,
  messageId: smppTrafficSearch.shape.id,
  /** The entry of the history in the drawer. */
  entry: z.string().max(20).catch(''),
  ...deliveriesSearch.shape,
  ...accountSearch.shape,
  ...holdsSearch.shape,
})
