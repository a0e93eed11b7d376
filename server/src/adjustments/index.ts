// Entry of the adjustments slice: corrections of what a client is owed, and credits for what a number received while nobody
// held it.
import type { BillingDeps } from '../billing/index.ts'
import { bindOn, type BoundRoutes, type Caller } from '../http/handlers.ts'
import type { CreditUnowned } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import { createAdjustment } from './adjust.ts'
import { creditUnownedWith } from './backdate.ts'
import { bindAdjustmentRoutes } from './routes.ts'

export interface Adjustments {
  readonly routes: BoundRoutes[]
  /** Credits what numbers received while nobody held them, for numbers that are assigned from an earlier time. */
  readonly creditUnowned: CreditUnowned
  /** Corrects what a client is owed: posted at once, or above the limit by a second person. Gives the correction's id. */
  readonly correct: (
    tx: Db,
    correction: { readonly userId: number; readonly amount: string; readonly reason: string },
    by: Caller,
  ) => Promise<string>
}

/** Builds the slice. */
export function createAdjustments(deps: BillingDeps): Adjustments {
  return {
    routes: [bindOn(deps, bindAdjustmentRoutes)],
    creditUnowned: creditUnownedWith(deps),
    correct: async (tx, correction, by) =>
      (await createAdjustment({ ...deps, db: tx }, { ...correction, reference: '' }, by)).id,
  }
}
