// The shell shows this counter on every page, so the routes are loaded on demand and not with the first page.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'

const refetchMs = 60_000
export const waitingFilter = { approval: 'waiting' } as const

async function countAccounts() {
  const { usersRoutes } = await import('@tollgate/contract/users/users.ts')
  return call(usersRoutes.summariseUsers, { query: waitingFilter })
}

/** The number of accounts that wait for approval, for the roles that approve them. */
export function useWaitingAccounts(): { value: number; tone: 'warn' } | undefined {
  const { may } = useSession()
  const { data } = useQuery({
    // The key that useApiQuery gives this route, so that a refetch of its path updates this count too.
    queryKey: ['/api/users/summary', null, waitingFilter],
    queryFn: countAccounts,
    refetchInterval: refetchMs,
    enabled: may('userManagement'),
  })
  return data && { value: data.count, tone: 'warn' }
}
