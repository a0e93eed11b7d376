// The dashboard's readings. DashboardPage keeps those of records in step with the feed.
import type { UseQueryResult } from '@tanstack/react-query'
import { gatewayRoutes, type SmppStatus } from '@tollgate/contract/gateway.ts'
import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import { recordsRoutes } from '@tollgate/contract/records.ts'
import { useCall } from '../api/use-call.ts'

// Spec §9: status refresh 5000 ms.
const statusIntervalMs = 5_000
// Numbers change hands by the day, not by the second.
const numbersIntervalMs = 60_000

/** The SMPP server's state, polled. Spec §7. */
export function useSmppStatus(): UseQueryResult<SmppStatus, Error> {
  return useCall(gatewayRoutes.getSmppStatus, {}, { refetchIntervalMs: statusIntervalMs })
}

/** How many numbers the viewer holds; staff read those of the whole gateway from its status. */
export function useHeldNumbers(isEnabled: boolean) {
  return useCall(
    numbersRoutes.summariseAccountNumbers,
    {},
    { refetchIntervalMs: numbersIntervalMs, isEnabled },
  )
}

/** Counters of the viewer's records. */
export function useStats() {
  return useCall(recordsRoutes.getStats)
}

/** Today's records by hour. */
export function useActivity() {
  return useCall(recordsRoutes.getActivity)
}

/** The open cycle by hour. */
export function useWeek() {
  return useCall(recordsRoutes.getWeek)
}

/** What changes with every record. */
export const livePaths: readonly string[] = [recordsRoutes.getStats.path]
