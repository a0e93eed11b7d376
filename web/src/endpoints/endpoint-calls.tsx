// Which endpoints the components of this folder work with: everybody's, for staff, or a client's own.
import {
  ownEndpointCalls,
  staffEndpointCalls,
  type EndpointCalls,
} from '@tollgate/contract/endpoints/endpoints.ts'
import { createContext, useContext, type ReactNode } from 'react'

const CallsContext = createContext<EndpointCalls>(staffEndpointCalls)

/** Components in it call the routes for one's own endpoints; outside of it, those of staff. */
export function OwnEndpoints({ children }: { children: ReactNode }) {
  return <CallsContext value={ownEndpointCalls}>{children}</CallsContext>
}

export function useEndpointCalls(): EndpointCalls {
  return useContext(CallsContext)
}

/** Whether the endpoints are one's own: then there is no client to name or to choose. */
export function useIsOwn(): boolean {
  return useContext(CallsContext) === ownEndpointCalls
}
