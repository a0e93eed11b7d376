// Drawn with the shell on every page, so it brings no more than it must: the routes come when they are first asked.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'
import { refetchPaths } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'

/** The lists in which a number request shows. */
export const requestPaths = ['/api/number-requests'] as const

async function countRequests() {
  const { requestsRoutes } = await import('@tollgate/contract/number-requests.ts')
  return call(requestsRoutes.summariseAllRequests)
}

/**
 * Requests nobody has answered yet, for those who answer them. Follows the feed, which tells a request made or
 * answered elsewhere to its person and to staff: the lists on screen follow with it.
 */
export function useWaitingRequests(): { value: number; tone: 'warn' } | undefined {
  const client = useQueryClient()
  const { may } = useSession()
  useFeed('request', () => void refetchPaths(client, requestPaths))
  const { data } = useQuery({
    // The key that useApiQuery gives this route: whoever refetches its path means this count, too.
    queryKey: ['/api/number-requests/all/summary', null, null],
    queryFn: countRequests,
    enabled: may('numbersManagement'),
  })
  return data && { value: data.pending, tone: 'warn' }
}
