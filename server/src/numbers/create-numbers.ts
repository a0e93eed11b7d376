import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import type { Job } from '../platform/jobs.ts'
import { accountHandlers } from './accounts/routes.ts'
import type { NumbersDeps } from './deps.ts'
import { followTariffs } from './follow-tariffs.ts'
import { importHandlers } from './import/routes.ts'
import { bindInventoryRoutes } from './inventory/routes.ts'
import { premiumHandlers } from './premium/routes.ts'
import { bindRangesRoutes } from './ranges/routes.ts'
import { bindRequestsRoutes } from './requests/routes.ts'

export interface Numbers {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
}

/**
 * Builds the slice: ranges, numbers in their three views, requests and import. `appendPrice` is the rates slice's;
 * `publish` brings news of a request to the one who made it.
 */
export function createNumbers(deps: NumbersDeps): Numbers {
  return {
    routes: [
      bindRangesRoutes(deps),
      bindRoutes(numbersRoutes, {
        ...accountHandlers(deps),
        ...premiumHandlers(deps),
        ...importHandlers(deps),
      }),
      bindInventoryRoutes(deps),
      bindRequestsRoutes(deps),
    ],
    jobs: [{ name: 'follow-tariffs', everyMs: 1_000, run: (signal) => followTariffs(deps.db, signal) }],
  }
}
