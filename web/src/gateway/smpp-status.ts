import { gatewayRoutes } from '@tollgate/contract/gateway.ts'
import { useApiQuery } from '../api/use-api.ts'

/** The state of the SMPP server, polled (Spec §7). Spec §9: status refresh 5000 ms. */
export function useSmppStatus() {
  return useApiQuery(gatewayRoutes.getSmppStatus, {}, { refetchIntervalMs: 5_000 })
}
