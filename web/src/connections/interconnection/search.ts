import { linkKinds } from '@tollgate/contract/connections/interconnection.ts'
import { z } from 'zod'
import { endpointsSearch } from '../../endpoints/search.ts'

export const interconnectionSearch = z.object({
  tab: z.enum(['connections', 'endpoints', 'monitoring']).catch('connections'),
  /** Filter and order of the activity log. */
  activity: z.enum(['all', ...linkKinds]).catch('all'),
  order: z.enum(['asc', 'desc']).catch('desc'),
  ...endpointsSearch.shape,
})
export type InterconnectionSearch = z.output<typeof interconnectionSearch>
