// What clients earn per SMS: the global rate, each user's own, and the settings page around them. Spec §2, §3, §7.
import { z } from 'zod'
import { instantSchema, pageQuery, searchSchema, userIdParams } from '../fields.ts'
import { rateInputSchema } from '../money.ts'
import { routes } from '../route.ts'
import { accountStatuses, roles } from '../vocabulary.ts'

/** A rate or tariff that starts later; null for none. An empty rate ends the client's own. */
export const scheduledRateSchema = z
  .object({ rate: z.string(), startsAt: z.string(), setBy: z.string() })
  .nullable()
export type ScheduledRate = NonNullable<z.infer<typeof scheduledRateSchema>>

const userRateSchema = z.object({
  id: z.int(),
  username: z.string(),
  fullName: z.string(),
  email: z.string(),
  role: z.enum(roles),
  status: z.enum(accountStatuses),
  /** USD per SMS; empty means the global rate. */
  customSmsRate: z.string(),
  /** The rate in force: the custom one, else the global one. */
  currentRate: z.string(),
  scheduled: scheduledRateSchema,
})
export type UserRate = z.infer<typeof userRateSchema>

/** One line of a rate's history. `rate` is empty where a custom rate was removed. */
const rateChangeSchema = z.object({
  id: z.string(),
  rate: z.string(),
  validFrom: z.string(),
  setBy: z.string(),
})
export type RateChange = z.infer<typeof rateChangeSchema>

export const userRateSorts = ['username', 'role', 'rate', 'status'] as const

export const ratesRoutes = routes({
  listUserRates: {
    method: 'GET',
    path: '/api/admin/users',
    summary: 'Accounts with the rate each one earns.',
    access: 'adminSettings',
    query: pageQuery.extend({
      search: searchSchema.optional(),
      sort: z.enum(userRateSorts).default('username'),
      // By name, because people search for each other by name.
      order: z.enum(['asc', 'desc']).default('asc'),
    }),
    response: z.array(userRateSchema),
    isPaged: true,
  },
  putUserRate: {
    method: 'PUT',
    path: '/api/admin/users/{id}/sms-rate',
    summary:
      "Set a user's own rate from now; an empty string removes it. With the `seenRate` that the screen showed, 409 stale when the rate is another one now. With `startsAt` it starts then, and replaces one that waits. Nobody sets his own.",
    access: 'adminSettings',
    fresh: 'hour',
    params: userIdParams,
    body: z.object({
      customSmsRate: z.union([z.literal(''), rateInputSchema]),
      seenRate: z.string().max(40).optional(),
      startsAt: instantSchema.optional(),
    }),
    response: userRateSchema,
  },
  cancelScheduledGlobalRate: {
    method: 'DELETE',
    path: '/api/admin/settings/global_sms_rate/scheduled',
    summary: 'Cancel the global rate that starts later.',
    access: 'adminSettings',
    fresh: 'hour',
  },
  cancelScheduledUserRate: {
    method: 'DELETE',
    path: '/api/admin/users/{id}/sms-rate/scheduled',
    summary: "Cancel a user's own rate that starts later.",
    access: 'adminSettings',
    fresh: 'hour',
    params: userIdParams,
  },
  listGlobalRateHistory: {
    method: 'GET',
    path: '/api/admin/settings/global_sms_rate/history',
    summary: 'The global rate: who set it, when, from when; newest first.',
    access: 'adminSettings',
    response: z.array(rateChangeSchema),
  },
  listUserRateHistory: {
    method: 'GET',
    path: '/api/admin/users/{id}/sms-rate/history',
    summary: "A user's own rate: who set it, when, from when; newest first.",
    access: 'adminSettings',
    params: userIdParams,
    response: z.array(rateChangeSchema),
  },
})
