import { numbersRoutes, type AccountNumber } from '@tollgate/contract/numbers/numbers.ts'
import { bindOn, bindRoutes, type Actor, type BoundRoutes } from '../http/handlers.ts'
import type { Job } from '../platform/work/jobs.ts'
import { accountHandlers, findNumbers } from './accounts/routes.ts'
import type { NumbersDeps } from './deps.ts'
import { followTariffs } from './follow-tariffs.ts'
import { bindImportsRoutes, importHandlers } from './import/routes.ts'
import { bindInventoryRoutes } from './inventory/routes.ts'
import { bindChangesRoutes } from './bulk-routes.ts'
import { premiumHandlers } from './management/routes.ts'
import { bindRangesRoutes } from './ranges/routes.ts'
import { startDueTariffs } from './ranges/scheduled-tariffs.ts'
import { bindRequestsRoutes } from './requests/routes.ts'
import { bindStockRoutes } from './stock/routes.ts'
import { NumberDirectory } from './search/number-directory.ts'

export interface Numbers {
  readonly routes: BoundRoutes[]
  readonly jobs: readonly Job[]
  /**
   * All numbers in memory, for searches. Without `start()` it works too, but the first search after the program's start
   * or after an import must wait.
   */
  readonly directory: NumberDirectory
  /** The numbers that a viewer may see and that contain a text, newest first, as its list shows them. */
  readonly find: (actor: Actor, text: string, max: number) => Promise<AccountNumber[]>
}

/** Builds the slice: ranges, the three views of numbers, requests and import. */
export function createNumbers(deps: NumbersDeps): Numbers {
  const directory = new NumberDirectory(deps.db, deps.onFault, deps.idleWindows)
  const lists = { ...deps, directory }
  return {
    directory,
    find: (actor, text, max) => findNumbers({ ...deps, directory }, actor, text, max),
    routes: [
      bindOn(deps, bindRangesRoutes),
      bindOn(lists, (on) =>
        bindRoutes(numbersRoutes, { ...accountHandlers(on), ...premiumHandlers(on), ...importHandlers(on) }),
      ),
      bindOn(deps, bindImportsRoutes),
      bindOn(lists, bindChangesRoutes),
      bindOn(lists, bindInventoryRoutes),
      bindOn(deps, bindRequestsRoutes),
      bindOn(lists, bindStockRoutes),
    ],
    jobs: [
      { name: 'start-tariffs', everyMs: 1_000, run: () => startDueTariffs(deps.db) },
      { name: 'follow-tariffs', everyMs: 1_000, run: (signal) => followTariffs(deps.db, signal) },
    ],
  }
}
