// What a supplier has done so far, for its first steps.
import type { ReactNode } from 'react'
import { useOwnBinds, useOwnTraffic } from '../smpp-traffic/queries.ts'

interface States {
  /** Undefined until it is known. */
  readonly isBound: boolean | undefined
  readonly isAccepted: boolean | undefined
}

export function SupplierStates({ children }: { readonly children: (states: States) => ReactNode }) {
  const binds = useOwnBinds({})
  const traffic = useOwnTraffic('168', {})
  const isAccepted = traffic.data?.accepted.some((count) => count > 0)
  const isBound = binds.data && binds.data.binds.length > 0
  // Whose messages were accepted was bound, also when it is not now.
  return children({ isBound: isAccepted === true || isBound, isAccepted })
}
