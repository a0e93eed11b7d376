// What a supplier reads of its own traffic.
import { ownTrafficRoutes } from '@tollgate/contract/own-traffic.ts'
import { useApiQuery } from '../../api/use-api.ts'
import type { SmppTrafficSearch } from './search.ts'

// Spec §9: status refresh 5000 ms.
const bindsMs = 5_000
const countsMs = 30_000

export function useOwnTraffic(hours: SmppTrafficSearch['hours']) {
  return useApiQuery(ownTrafficRoutes.getOwnTraffic, { query: { hours } }, { refetchIntervalMs: countsMs })
}

export function useOwnBinds() {
  return useApiQuery(ownTrafficRoutes.getOwnBinds, {}, { refetchIntervalMs: bindsMs })
}

export function useOwnRefusedBinds() {
  return useApiQuery(ownTrafficRoutes.listOwnRefusedBinds, {}, { refetchIntervalMs: countsMs })
}

/** Asks only for what may be an id. */
export function useOwnMessages(id: string, isEnabled: boolean) {
  return useApiQuery(ownTrafficRoutes.findOwnMessages, { params: { id } }, { isEnabled })
}
