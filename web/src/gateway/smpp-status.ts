import { gatewayRoutes, type SmppStatus } from '@tollgate/contract/gateway/gateway.ts'
import { useApiQuery } from '../api/use-api.ts'
import { useStaleSince } from '../api/use-feed.ts'

/**
 * The state of the SMPP server, polled (Spec §7). Spec §9: status refresh 5000 ms. A server that has gone silent fails it
 * too, long before the poll that hangs gives up.
 */
export function useSmppStatus() {
  const status = useApiQuery(gatewayRoutes.getSmppStatus, {}, { refetchIntervalMs: 5_000 })
  const isSilent = useStaleSince() !== undefined
  return { ...status, isError: status.isError || isSilent }
}

export type RunningState = 'online' | 'offline' | 'unknown'

/** The result of the last poll. A failed poll does not show the state of the gateway. */
export function runningState({
  data,
  isError,
}: {
  data: SmppStatus | undefined
  isError: boolean
}): RunningState {
  if (isError || !data) return 'unknown'
  return data.server.running ? 'online' : 'offline'
}

/** The same as the badge in the head of a page says it: Gateway Online, Gateway Offline, Not known. */
export function gatewayState(status: Parameters<typeof runningState>[0]): string {
  const running = runningState(status)
  return running === 'unknown' ? running : `gateway_${running}`
}
