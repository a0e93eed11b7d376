// The shell shows this counter on every page, so the routes are loaded on demand and not with the first page.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'
import { refetchPaths } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'

/** The lists in which a number request shows. */
export const requestPaths = ['/api/number-requests'] as const

async function countRequests() {
  const { requestsRoutes } = await import('@tollgate/contract/numbers/requests.ts')
  return call(requestsRoutes.summariseAllRequests)
}

/**
 * The number of requests that wait for an answer or a number, for the roles that answer them. It follows the live feed, which reports new and
 * answered requests to their person and to staff. The lists on screen follow too.
 */
export function useWaitingRequests(): { value: number; tone: 'warn' } | undefined {
  const client = useQueryClient()
  const { may } = useSession()
  useFeed('request', () => void refetchPaths(client, requestPaths))
  const { data } = useQuery({
    // The key that useApiQuery gives this route, so that a refetch of its path updates this count too.
    queryKey: ['/api/number-requests/all/summary', null, null],
    queryFn: countRequests,
    enabled: may('numbersManagement'),
  })
  return data && { value: data.open, tone: 'warn' }
}
