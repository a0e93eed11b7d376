// The dashboard's readings. DashboardPage keeps those of records in step with the feed.
import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import { recordsRoutes } from '@tollgate/contract/records.ts'
import { useApiQuery } from '../api/use-api.ts'

// Numbers change hands by the day, not by the second.
const numbersIntervalMs = 60_000

/** How many numbers the viewer holds; staff read those of the whole gateway from its status. */
export function useHeldNumbers(isEnabled: boolean) {
  return useApiQuery(
    numbersRoutes.summariseAccountNumbers,
    {},
    { refetchIntervalMs: numbersIntervalMs, isEnabled },
  )
}

/** Counters of the viewer's records. */
export function useStats() {
  return useApiQuery(recordsRoutes.getStats)
}

/** Today's records by hour. */
export function useTodayActivity() {
  return useApiQuery(recordsRoutes.getActivity)
}

/** What changes with every record. */
export const livePaths: readonly string[] = [recordsRoutes.getStats.path]
