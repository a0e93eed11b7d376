// Entry of the adjustments slice: corrections of what a client is owed, and credits for what a number received while nobody
// held it.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { CreditUnowned } from '../numbers/index.ts'
import { creditUnownedWith } from './backdate.ts'
import { bindAdjustmentRoutes } from './routes.ts'

export interface Adjustments {
  readonly routes: BoundRoutes[]
  /** Credits what numbers received while nobody held them, for numbers that are assigned from an earlier time. */
  readonly creditUnowned: CreditUnowned
}

/** Builds the slice. */
export function createAdjustments(deps: BillingDeps): Adjustments {
  return { routes: [bindOn(deps, bindAdjustmentRoutes)], creditUnowned: creditUnownedWith(deps) }
}
