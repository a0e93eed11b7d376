// Entry of the SMPP traffic slice: what a supplier sees of its own side, and staff of any account.
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import { bindOwnTrafficRoutes, bindSupplierTrafficRoutes, type OwnTrafficDeps } from './routes.ts'

/** Builds the slice. */
export function createSmppTraffic(deps: OwnTrafficDeps): { readonly routes: BoundRoutes[] } {
  return { routes: [bindOn(deps, bindOwnTrafficRoutes), bindOn(deps, bindSupplierTrafficRoutes)] }
}
