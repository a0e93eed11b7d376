// What clients earn per SMS: the global rate, each user's own, and the settings page around them. Spec §2, §3, §7.
import { z } from 'zod'
import { instantSchema, pageQuery, searchSchema, userIdParams } from './fields.ts'
import { rateInputSchema } from './money.ts'
import { routes } from './route.ts'
import { accountStatuses, roles, settingChangeActions } from './vocabulary.ts'

/** A rate or tariff that starts later; null for none. An empty rate ends the client's own. */
export const scheduledRateSchema = z
  .object({ rate: z.string(), startsAt: z.string(), setBy: z.string() })
  .nullable()
export type ScheduledRate = NonNullable<z.infer<typeof scheduledRateSchema>>

const settingSchema = z.object({
  id: z.string(),
  settingKey: z.string(),
  settingValue: z.string(),
  description: z.string(),
  updatedAt: z.string(),
  /** A change that waits; null for none. */
  pending: z
    .object({
      settingValue: z.string(),
      requestedBy: z.string(),
      requestedAt: z.string(),
      /** The second admin; empty until there is one. */
      approvedBy: z.string(),
      /** The earliest time at which it begins. */
      beginsAt: z.string(),
      /** There is no second admin: it begins without one, after a longer wait. */
      isAlone: z.boolean(),
    })
    .nullable(),
  /** Of `global_sms_rate` only. */
  scheduled: scheduledRateSchema.optional(),
})
export type SettingEntry = z.infer<typeof settingSchema>

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
  listSettings: {
    method: 'GET',
    path: '/api/admin/settings',
    summary: 'All settings.',
    access: 'adminSettings',
    response: z.array(settingSchema),
  },
  putSetting: {
    method: 'PUT',
    path: '/api/admin/settings/{key}',
    summary:
      'Change a setting; `global_sms_rate` starts a new global rate now. A change that loosens the rules for payments waits as `pending`; a second admin approves it by the same value. With the `seenValue` that the screen showed, 409 stale when the value is another one now. `startsAt` is for `global_sms_rate` alone: the rate starts then instead of now, and replaces one that waits.',
    access: 'adminSettings',
    isFresh: true,
    params: z.object({ key: z.string().max(64) }),
    body: z.object({
      settingValue: z.union([z.string().max(4000), z.number().transform(String)]),
      seenValue: z.string().max(4000).optional(),
      startsAt: instantSchema.optional(),
    }),
    bodyLimitBytes: 32 * 1024,
    response: settingSchema,
  },
  decideSettingChange: {
    method: 'PUT',
    path: '/api/admin/settings/{key}/change',
    summary: 'A second admin approves a change that waits, or any admin cancels it.',
    access: 'adminSettings',
    isFresh: true,
    params: z.object({ key: z.string().max(64) }),
    body: z.object({ action: z.enum(settingChangeActions) }),
    response: settingSchema,
  },
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
    isFresh: true,
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
    isFresh: true,
  },
  cancelScheduledUserRate: {
    method: 'DELETE',
    path: '/api/admin/users/{id}/sms-rate/scheduled',
    summary: "Cancel a user's own rate that starts later.",
    access: 'adminSettings',
    isFresh: true,
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
