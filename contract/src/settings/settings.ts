// The settings that admins change. Spec §3, §7.
import { z } from 'zod'
import { instantSchema } from '../fields.ts'
import { scheduledRateSchema } from '../rates/rates.ts'
import { routes } from '../route.ts'
import { settingChangeActions } from '../vocabulary.ts'

const settingSchema = z.object({
  id: z.string(),
  settingKey: z.string(),
  settingValue: z.string(),
  description: z.string(),
  /** What it is while nobody has set it. */
  defaultValue: z.string(),
  /** Empty while it was never changed. */
  updatedAt: z.string(),
  /** The login name; empty while it was never changed. */
  updatedBy: z.string(),
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

export const settingsRoutes = routes({
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
    fresh: 'now',
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
    fresh: 'now',
    params: z.object({ key: z.string().max(64) }),
    body: z.object({ action: z.enum(settingChangeActions) }),
    response: settingSchema,
  },
})
