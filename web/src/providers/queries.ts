// What the screens of HTTP providers read.
import { useQueryClient } from '@tanstack/react-query'
import { providersRoutes, type Worker } from '@tollgate/contract/providers/providers.ts'
import { failureOf } from '../api/FetchFailure.tsx'
import { refetchPaths, useApiQuery } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'
import { t } from '../language/t.ts'

// Spec §9: provider list refresh 10 s, worker stats refresh 5 s.
const listRefetchMs = 10_000
const statsRefetchMs = 5_000

/** The lists in which a provider shows. */
export const providerPaths = ['/api/providers', '/api/workers/stats'] as const

export function useProviders() {
  return useApiQuery(providersRoutes.listProviders, {}, { refetchIntervalMs: listRefetchMs })
}

/** The state of the workers: polled, and fetched at once when the feed reports a change. */
export function useWorkers() {
  const client = useQueryClient()
  useFeed('worker', () => void refetchPaths(client, ['/api/workers/stats']))
  return useApiQuery(providersRoutes.workerStats, {}, { refetchIntervalMs: statsRefetchMs })
}

/** For a table with a row for each worker. Figures that are there stay when a poll fails, below the failure. */
export function workerRows(workers: ReturnType<typeof useWorkers>) {
  return {
    rows: workers.data?.workers,
    rowId: ({ providerId }: Worker) => providerId,
    rowLabel: ({ name }: Worker) => name,
    ...failureOf(workers, t('Failed to fetch worker statistics')),
  }
}
