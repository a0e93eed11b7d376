// Messages that were refused, found by what a record is found by, for staff who look for one that never arrived.
import { z } from 'zod'
import { routes } from '../route.ts'
import { staffRefusalReasons } from '../vocabulary.ts'
import { recordFilters } from './records.ts'

/** The filters of records that a refused message has an answer to. */
export const refusedFilters = recordFilters.pick({
  search: true,
  dateFrom: true,
  dateTo: true,
  hour: true,
  time: true,
  within: true,
  zone: true,
  gateway: true,
  sender: true,
  number: true,
})
export type RefusedFilters = z.infer<typeof refusedFilters>

/** The most that one search gives. */
export const refusedMessagesMax = 100

const refusedMessageSchema = z.object({
  /** The minute of the first one; those that are alike within it are one row. */
  at: z.string(),
  lastAt: z.string(),
  count: z.int(),
  /** As it was sent; empty when the PDU could not be read. */
  number: z.string(),
  sender: z.string(),
  /** The bind's system_id, or the connection's or provider's name. */
  gateway: z.string(),
  reason: z.enum(staffRefusalReasons),
  /** A command_status of SMPP 3.4 §5.1.3 as number, and in words. */
  status: z.int(),
  statusText: z.string(),
})
export type RefusedMessageView = z.infer<typeof refusedMessageSchema>

export const refusedMessagesRoutes = routes({
  listRefusedMessages: {
    method: 'GET',
    path: '/api/records/refused',
    summary: 'The newest 100 messages of the last 14 days that were refused and match, with the reason.',
    access: 'interconnectionApi',
    query: refusedFilters,
    response: z.array(refusedMessageSchema),
    onReplica: 'current',
  },
})
