import { useQueryClient } from '@tanstack/react-query'
import { interconnectionRoutes, type LinkKind } from '@tollgate/contract/connections/interconnection.ts'
import { refetchPaths, useApiPages } from '../../api/use-api.ts'
import { useFeed } from '../../api/use-feed.ts'

/** The activity log of connections and endpoints: polled, and fetched at once when the feed reports a change. */
export function useActivityLog(kind: LinkKind | undefined, order: 'asc' | 'desc') {
  const client = useQueryClient()
  useFeed('connection', () => void refetchPaths(client, [interconnectionRoutes.listActivity.path]))
  return useApiPages(
    interconnectionRoutes.listActivity,
    { query: { limit: 25, order, ...(kind && { kind }) } },
    { refetchIntervalMs: 5_000 },
  )
}
