import { z } from 'zod'

export const settingsTabs = ['rates', 'settings'] as const

export const settingsSearch = z.object({
  tab: z.enum(settingsTabs).catch('rates'),
  search: z.string().max(100).catch(''),
})
