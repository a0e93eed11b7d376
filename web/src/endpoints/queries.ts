// What the screens of endpoints read and change.
import { endpointsRoutes, type Endpoint, type EndpointTest } from '@tollgate/contract/endpoints.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { showToast } from '../ui/toasts.ts'

const refetchIntervalMs = 5_000

/** The lists in which an endpoint shows. */
export const endpointPaths = ['/api/endpoints', '/api/interconnection/activity'] as const

export function useEndpoints() {
  return useApiQuery(endpointsRoutes.listEndpoints, {}, { refetchIntervalMs })
}

/** Sends a test event to an endpoint. */
export function useEndpointTest() {
  return useApiMutation(endpointsRoutes.testEndpoint, {
    refetch: endpointPaths,
    failure: { title: 'Test Error', text: 'Failed to test endpoint' },
  })
}

/** 'Answered 204 in 12 ms.' */
export function describeEndpointTest({ success, error, responseStatus, durationMs }: EndpointTest): string {
  return success
    ? `Answered ${responseStatus ?? ''} in ${durationMs} ms.`
    : (error ?? 'Connection test failed')
}

export function toastEndpointTest(endpoint: Endpoint, test: EndpointTest): void {
  showToast({
    tone: test.success ? 'ok' : 'bad',
    title: test.success ? 'Test Successful' : 'Test Failed',
    text: `${endpoint.name}: ${describeEndpointTest(test)}`,
  })
}
