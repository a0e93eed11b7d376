// What the dashboard keeps in its address.
import { z } from 'zod'
import { analyticsFields } from '../analytics/search.ts'

const dashboardTabs = ['overview', 'connections', 'analytics', 'records'] as const

export const dashboardSearch = z.object({
  tab: z.enum(dashboardTabs).catch('overview'),
  search: z.string().max(100).catch(''),
  /** Spec §4: the dashboard's names of record states. */
  status: z.enum(['all', 'delivered', 'pending', 'failed']).catch('all'),
  ...analyticsFields,
})
export type DashboardSearch = z.output<typeof dashboardSearch>
