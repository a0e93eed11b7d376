import { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import { bindOn, bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import { accountHandlers } from './accounts/routes.ts'
import type { NumbersDeps } from './deps.ts'
import { bindImportsRoutes, importHandlers } from './import/routes.ts'
import { bindInventoryRoutes } from './inventory/routes.ts'
import { bindChangesRoutes } from './bulk-routes.ts'
import { premiumHandlers } from './management/routes.ts'
import { bindRangesRoutes } from './ranges/routes.ts'
import { startDueTariffs } from './ranges/scheduled-tariffs.ts'
import { bindRequestsRoutes } from './requests/routes.ts'
import { bindStockRoutes } from './stock/routes.ts'

export interface Numbers {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
}

/** Builds the slice: ranges, the three views of numbers, requests and import. */
export function createNumbers(deps: NumbersDeps): Numbers {
  return {
    routes: [
      bindOn(deps, bindRangesRoutes),
      bindOn(deps, (on) =>
        bindRoutes(numbersRoutes, { ...accountHandlers(on), ...premiumHandlers(on), ...importHandlers(on) }),
      ),
      bindOn(deps, bindImportsRoutes),
      bindOn(deps, bindChangesRoutes),
      bindOn(deps, bindInventoryRoutes),
      bindOn(deps, bindRequestsRoutes),
      bindOn(deps, bindStockRoutes),
    ],
    jobs: [{ name: 'start-tariffs', everyMs: 1_000, run: () => startDueTariffs(deps.db) }],
  }
}
