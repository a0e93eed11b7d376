import { rangeSorts } from '@tollgate/contract/numbers/ranges.ts'
import { accountStatuses } from '@tollgate/contract/vocabulary.ts'
import { z } from 'zod'

/** How many days until today. */
const earningPeriods = ['1', '7', '30', '90'] as const
export type EarningPeriod = (typeof earningPeriods)[number]

export const rangesSearch = z.object({
  search: z.string().max(100).catch(''),
  status: z.enum(['all', ...accountStatuses]).catch('all'),
  sort: z.enum(rangeSorts).catch('createdAt'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  /** The last days of which the earnings are shown. */
  days: z.enum(earningPeriods).catch('30'),
})
