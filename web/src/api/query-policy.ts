// Spec §9: no retries, data never goes stale, no refetch on window focus, no polling unless stated per call.
import { QueryClient } from '@tanstack/react-query'

/** Makes the query client with the fetching policy of the product. */
export function createQueryClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        retry: false,
        staleTime: Number.POSITIVE_INFINITY,
        refetchOnWindowFocus: false,
        refetchOnReconnect: false,
        // Calls go out even when the browser believes that it is offline, because the gateway may run on this machine.
        networkMode: 'always',
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  })
}
