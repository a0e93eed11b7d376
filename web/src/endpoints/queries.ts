// What the screens of endpoints read and change.
import {
  ownEndpointCalls,
  staffEndpointCalls,
  type EndpointTest,
} from '@tollgate/contract/endpoints/endpoints.ts'
import { useApiMutation, useApiQuery } from '../api/use-api.ts'
import { useEndpointCalls } from './endpoint-calls.tsx'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

const refetchIntervalMs = 5_000

/** The lists in which an endpoint shows. */
export const endpointPaths = [
  staffEndpointCalls.list.path,
  ownEndpointCalls.list.path,
  '/api/interconnection/activity',
] as const

export function useEndpoints() {
  return useApiQuery(staffEndpointCalls.list, {}, { refetchIntervalMs })
}

export function useOwnEndpoints() {
  return useApiQuery(ownEndpointCalls.list, {}, { refetchIntervalMs })
}

/** Sends a test event to an endpoint. */
export function useEndpointTest() {
  return useApiMutation(useEndpointCalls().test, {
    refetch: endpointPaths,
    failure: { title: t('Test Error'), text: t('Failed to test endpoint') },
  })
}

/** 'Answered 204 in 12 ms.' */
export function describeEndpointTest({ success, error, responseStatus, durationMs }: EndpointTest): string {
  return success
    ? t('Answered {responseStatus} in {durationMs} ms.', { responseStatus: responseStatus ?? '', durationMs })
    : error === undefined
      ? t('Connection test failed')
      : formatWords(error)
}
