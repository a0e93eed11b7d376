// What a supplier reads of its own traffic, and staff of the same supplier: the answers are alike.
import { ownTrafficRoutes, supplierTrafficRoutes } from '@tollgate/contract/smpp-traffic/smpp-traffic.ts'
import type { Route, RouteCall } from '@tollgate/contract/route.ts'
import { useApiQuery } from '../api/use-api.ts'
import type { SmppTrafficSearch } from './search.ts'

// Spec §9: status refresh 5000 ms.
const bindsMs = 5_000
const countsMs = 30_000

/** The account that staff look at; undefined for one's own. */
export interface OfSupplier {
  readonly userId?: number | undefined
}

interface Side<R extends Route> {
  readonly own: R
  readonly theirs: Route & { readonly response: R['response'] }
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
}

/** Reads one's own side, or that of the account `userId`. */
function useSide<R extends Route>(
  userId: number | undefined,
  { own, theirs, params, query }: Side<R>,
  options: NonNullable<Parameters<typeof useApiQuery>[2]>,
) {
  const isOwn = userId === undefined
  const input = { params: isOwn ? params : { ...params, id: userId }, query }
  return useApiQuery((isOwn ? own : theirs) as R, input as RouteCall<R>, options)
}

export function useOwnTraffic(hours: SmppTrafficSearch['hours'], { userId }: OfSupplier) {
  const { getOwnTraffic: own } = ownTrafficRoutes
  const { getSupplierTraffic: theirs } = supplierTrafficRoutes
  return useSide(userId, { own, theirs, query: { hours } }, { refetchIntervalMs: countsMs })
}

export function useOwnBinds({ userId }: OfSupplier) {
  const { getOwnBinds: own } = ownTrafficRoutes
  const { getSupplierBinds: theirs } = supplierTrafficRoutes
  return useSide(userId, { own, theirs }, { refetchIntervalMs: bindsMs })
}

export function useOwnRefusedBinds({ userId }: OfSupplier) {
  const { listOwnRefusedBinds: own } = ownTrafficRoutes
  const { listSupplierRefusedBinds: theirs } = supplierTrafficRoutes
  return useSide(userId, { own, theirs }, { refetchIntervalMs: countsMs })
}

/** Asks only for what may be an id. */
export function useOwnMessages(id: string, { userId }: OfSupplier) {
  const { findOwnMessages: own } = ownTrafficRoutes
  const { findSupplierMessages: theirs } = supplierTrafficRoutes
  return useSide(userId, { own, theirs, params: userId === undefined ? { id } : { messageId: id } }, {})
}
