// Entry of the integrity slice: money is held back until a person has decided, and what looks pumped is found.
import type { Db } from '../platform/db.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { RecordKey } from '../ingest/index.ts'
import { bindListedRoutes, type ListedRouteParts } from './listed/routes.ts'
import { bindCaseRoutes, bindHoldRoutes, type HoldRouteParts } from './routes.ts'
import { holdRecord } from './service.ts'
import type { HoldCause } from './store.ts'

export { findBilled, holdBilled } from './hold-billed.ts'
export { judgeJobs } from './judge/jobs.ts'
export { countSenderDays } from './judge/sender-days.ts'
export { holdSteps } from './views.ts'

export interface Integrity {
  readonly routes: BoundRoutes[]
  /**
   * Holds a record of the open cycle in the transaction that stored it. Returns the hold's id; undefined when nobody
   * earns by the record.
   */
  hold(tx: Db, key: RecordKey, cause: HoldCause): Promise<string | undefined>
}

/** Builds the slice. */
export function createIntegrity(parts: HoldRouteParts & ListedRouteParts): Integrity {
  return {
    routes: [bindOn(parts, bindHoldRoutes), bindOn(parts, bindCaseRoutes), bindOn(parts, bindListedRoutes)],
    hold: (tx, key, cause) => holdRecord(tx, parts, key, cause),
  }
}
