// Entry of the amendments slice: what is done about a bill before it is paid.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import { bindAmendmentRoutes } from './routes.ts'

export { billedDebts } from './case-notes.ts'
export { withholdAboveTerms } from './withhold-above-terms.ts'
export { findAmendment, type AmendmentRow } from './amendment-store.ts'

/** Builds the slice. */
export function createAmendments(deps: BillingDeps): { readonly routes: BoundRoutes[] } {
  return { routes: [bindOn(deps, bindAmendmentRoutes)] }
}
