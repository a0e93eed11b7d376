// The shell shows this counter on every page, so the routes are loaded on demand and not with the first page.
import { useQuery } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import { useSession } from '../api/session.tsx'
import { alertPollMs } from './queries.ts'

async function readAlerts() {
  const { alertRoutes } = await import('@tollgate/contract/alerts/alerts.ts')
  return call(alertRoutes.listAlerts)
}

/** How many alerts nobody deals with; what merely waits has counters of its own. Red when something is lost. */
export function useOpenAlerts(): { value: number; tone: 'bad' | 'warn' } | undefined {
  const { may } = useSession()
  const { data } = useQuery({
    // The key that useApiQuery gives this route, so that the page and this count share one answer.
    queryKey: ['/api/alerts', null, null],
    queryFn: readAlerts,
    refetchInterval: alertPollMs,
    enabled: may('alerts'),
  })
  if (data === undefined) return undefined
  const open = data.alerts.filter(
    ({ severity, acknowledged }) => severity !== 'notice' && acknowledged === null,
  )
  const unlisted = data.unlisted.filter(({ severity }) => severity !== 'notice')
  const isCritical = [...open, ...unlisted].some(({ severity }) => severity === 'critical')
  const value = unlisted.reduce((sum, { count }) => sum + count, open.length)
  return { value, tone: isCritical ? 'bad' : 'warn' }
}
