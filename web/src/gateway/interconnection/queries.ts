// What the interconnection page reads besides the connections.
import { useQueryClient } from '@tanstack/react-query'
import { endpointsRoutes, type Endpoint, type EndpointTest } from '@tollgate/contract/endpoints.ts'
import { interconnectionRoutes, type LinkKind } from '@tollgate/contract/interconnection.ts'
import { refetchPaths, useAct, useCall, usePages } from '../../api/use-call.ts'
import { useFeed } from '../../api/use-feed.ts'
import { showToast } from '../../ui/toasts.ts'

const refetchIntervalMs = 5_000
const activityPath = '/api/interconnection/activity'

/** The lists in which an endpoint shows. */
export const endpointPaths = ['/api/endpoints', activityPath] as const

export function useEndpoints() {
  return useCall(endpointsRoutes.listEndpoints, {}, { refetchIntervalMs })
}

/** Polled, and fetched at once when the feed tells of a connection. */
export function useActivity(kind: LinkKind | undefined, order: 'asc' | 'desc') {
  const client = useQueryClient()
  useFeed('connection', () => void refetchPaths(client, [activityPath]))
  return usePages(
    interconnectionRoutes.listActivity,
    { query: { limit: 25, order, ...(kind && { kind }) } },
    { refetchIntervalMs },
  )
}

/** Sends a test event now and says what the address answered. */
export function useEndpointTest() {
  return useAct(endpointsRoutes.testEndpoint, {
    refetch: endpointPaths,
    failure: { title: 'Test Error', text: 'Failed to test endpoint' },
  })
}

/** 'Answered 204 in 12 ms.' */
export function answerWords({ success, error, responseStatus, durationMs }: EndpointTest): string {
  return success
    ? `Answered ${responseStatus ?? ''} in ${durationMs} ms.`
    : (error ?? 'Connection test failed')
}

export function toastTest(endpoint: Endpoint, test: EndpointTest): void {
  showToast({
    tone: test.success ? 'ok' : 'bad',
    title: test.success ? 'Test Successful' : 'Test Failed',
    text: `${endpoint.name}: ${answerWords(test)}`,
  })
}
