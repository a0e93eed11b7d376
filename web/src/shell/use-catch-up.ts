import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'

/** Reads everything on screen anew once the server is heard again after `staleSince`. */
export function useCatchUp(staleSince: number | undefined): void {
  const client = useQueryClient()
  const isStale = staleSince !== undefined
  const wasStale = useRef(isStale)
  useEffect(() => {
    if (wasStale.current && !isStale) void client.invalidateQueries()
    wasStale.current = isStale
  }, [client, isStale])
}
