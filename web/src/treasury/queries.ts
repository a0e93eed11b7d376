import { treasuryTransferRoutes } from '@tollgate/contract/treasury/transfers.ts'
import { useApiQuery } from '../api/use-api.ts'
import { moneyPollMs } from '../money/queries.ts'

/** How far the treasury is read, and the newest proof. */
export function useTreasuryReader() {
  return useApiQuery(treasuryTransferRoutes.getTreasuryReader, {}, { refetchIntervalMs: moneyPollMs })
}
