// What the dashboard reads. DashboardPage refetches the figures of records as the feed reports changes.
import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { recordsRoutes } from '@tollgate/contract/records/records.ts'
import { useApiQuery } from '../api/use-api.ts'

// Holders change rarely, so a minute is enough.
const numbersIntervalMs = 60_000

/** How many numbers the viewer holds. Staff read the count of the whole gateway from its status. */
export function useHeldNumbers(isEnabled: boolean) {
  return useApiQuery(
    numbersRoutes.summariseAccountNumbers,
    {},
    { refetchIntervalMs: numbersIntervalMs, isEnabled },
  )
}

/** Today's records by hour. */
export function useTodayActivity() {
  return useApiQuery(recordsRoutes.getActivity)
}

/** Paths whose data changes with every record. */
export const livePaths: readonly string[] = [recordsRoutes.getStats.path]
