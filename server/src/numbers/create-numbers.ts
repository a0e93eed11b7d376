import { numbersRoutes } from '@tollgate/contract/numbers.ts'
import { bindOn, bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import { accountHandlers } from './accounts/routes.ts'
import type { NumbersDeps } from './deps.ts'
import { followTariffs } from './follow-tariffs.ts'
import { importHandlers } from './import/routes.ts'
import { bindInventoryRoutes } from './inventory/routes.ts'
import { premiumHandlers } from './premium/routes.ts'
import { bindRangesRoutes } from './ranges/routes.ts'
import { bindRequestsRoutes } from './requests/routes.ts'
import { NumberDirectory } from './search/number-directory.ts'

export interface Numbers {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /**
   * All numbers in memory, for searches. Without `start()` it works too, but the first search after the program's start
   * or after an import must wait.
   */
  readonly directory: NumberDirectory
}

/** Builds the slice: ranges, the three views of numbers, requests and import. */
export function createNumbers(deps: NumbersDeps): Numbers {
  const directory = new NumberDirectory(deps.db, deps.onFault, deps.idleWindows)
  const lists = { ...deps, directory }
  return {
    directory,
    routes: [
      bindOn(deps, bindRangesRoutes),
      bindOn(lists, (on) =>
        bindRoutes(numbersRoutes, { ...accountHandlers(on), ...premiumHandlers(on), ...importHandlers(on) }),
      ),
      bindOn(lists, bindInventoryRoutes),
      bindOn(deps, bindRequestsRoutes),
    ],
    jobs: [{ name: 'follow-tariffs', everyMs: 1_000, run: (signal) => followTariffs(deps.db, signal) }],
  }
}
