// Spec §9: no retries, data never goes stale, no refetch on window focus, no polling unless stated per call.
import { QueryClient } from '@tanstack/react-query'

/** Makes the store of fetched data with the product's fetching policy. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // Calls go out even when the browser believes it is offline: the gateway may stand on this machine.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
