// What the screens of endpoints read and change.
import { ownEndpointCalls, staffEndpointCalls } from '@tollgate/contract/endpoints/endpoints.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { useEndpointCalls, useIsOwn } from './endpoint-calls.tsx'
import { t } from '../language/t.ts'

const refetchIntervalMs = 5_000

/** The lists in which an endpoint shows. */
export const endpointPaths = [
  staffEndpointCalls.list.path,
  ownEndpointCalls.list.path,
  '/api/interconnection/activity',
] as const

/** Everybody's, or one's own. */
export function useEndpoints() {
  const { list } = useIsOwn() ? ownEndpointCalls : staffEndpointCalls
  return useApiQuery(list, {}, { refetchIntervalMs })
}

/** Sends a test event to an endpoint. */
export function useEndpointTest() {
  return useApiMutation(useEndpointCalls().test, {
    refetch: endpointPaths,
    failure: { title: t('Test Error'), text: t('Failed to test endpoint') },
  })
}
