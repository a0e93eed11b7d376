// What the screens of the gateway read and change.
import { useQueryClient } from '@tanstack/react-query'
import { connectionsRoutes } from '@tollgate/contract/connections/connections.ts'
import { gatewayRoutes } from '@tollgate/contract/gateway/gateway.ts'
import { refetchPaths, useApiMutation, useApiQuery } from '../api/use-api.ts'
import { useFeed } from '../api/use-feed.ts'
import { t } from '../language/t.ts'

// Spec §9: status refresh 5000 ms.
const refetchIntervalMs = 5_000

/** The lists in which a connection shows. */
export const connectionPaths = [
  '/api/smpp-connections',
  '/api/smpp/status',
  '/api/interconnection/activity',
] as const

/** Our connections: polled, and fetched at once when the feed reports a change. */
export function useConnections() {
  const client = useQueryClient()
  useFeed('connection', () => void refetchPaths(client, connectionPaths))
  return useApiQuery(connectionsRoutes.listConnections, {}, { refetchIntervalMs })
}

export function useBinds() {
  return useApiQuery(gatewayRoutes.listBinds, {}, { refetchIntervalMs })
}

export function useThroughput() {
  return useApiQuery(gatewayRoutes.getThroughput, {}, { refetchIntervalMs })
}

/** The actions on a connection. Each shows a toast. */
export function useConnectionActions(name: string) {
  const refetch = connectionPaths
  const text = (what: string) => ({ title: what, text: name })
  return {
    connect: useApiMutation(connectionsRoutes.connectConnection, {
      refetch,
      success: text(t('Connecting')),
      failure: t('Failed to connect'),
    }),
    disconnect: useApiMutation(connectionsRoutes.disconnectConnection, {
      refetch,
      success: text(t('Disconnecting')),
      failure: t('Failed to disconnect'),
    }),
    restart: useApiMutation(connectionsRoutes.restartConnection, {
      refetch,
      success: text(t('Restarting')),
      failure: t('Failed to restart'),
    }),
  }
}
