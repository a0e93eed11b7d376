import { userRateSorts } from '@tollgate/contract/rates/rates.ts'
import { z } from 'zod'

const settingsTabs = ['rates', 'settings'] as const

export const settingsSearch = z.object({
  tab: z.enum(settingsTabs).catch('rates'),
  /** Of the rates. */
  search: z.string().max(100).catch(''),
  /** Of the settings. */
  find: z.string().max(100).catch(''),
  sort: z.enum(userRateSorts).catch('username'),
  order: z.enum(['asc', 'desc']).catch('asc'),
})
