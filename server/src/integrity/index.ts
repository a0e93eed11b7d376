// Entry of the integrity slice: money is held back until a person has decided, and what looks pumped is found.
import type { Db } from '../platform/db.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { RecordKey } from '../ingest/index.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Settings } from '../settings/index.ts'
import { bindCountRoutes } from './counts/routes.ts'
import { bindDisputeRoutes, type DisputeRouteParts } from './disputes/routes.ts'
import { bindListedRoutes, type ListedRouteParts } from './listed/routes.ts'
import { bindCaseRoutes, bindHoldRoutes, type HoldRouteParts } from './routes.ts'
import { judgeJobs, type JudgeParts } from './judge/jobs.ts'
import { holdRecord } from './service.ts'
import type { HoldCause } from './store.ts'
import { bindVersionRoutes } from './versions/routes.ts'
import { defineVersions } from './versions/versions.ts'

export { findBilled, holdBilled } from './hold-billed.ts'
export { countSenderDays } from './judge/sender-days.ts'
export { holdSteps } from './views.ts'

export interface Integrity {
  readonly routes: BoundRoutes[]
  /** The judge, and the forgetting of what it compares with. */
  readonly jobs: Job[]
  /**
   * Holds a record of the open cycle in the transaction that stored it. Returns the hold's id; undefined when nobody
   * earns by the record.
   */
  hold(tx: Db, key: RecordKey, cause: HoldCause): Promise<string | undefined>
}

export interface IntegrityParts
  extends HoldRouteParts, ListedRouteParts, DisputeRouteParts, Omit<JudgeParts, 'versions'> {
  readonly settings: Settings
}

/** Builds the slice. */
export function createIntegrity(parts: IntegrityParts): Integrity {
  const versions = defineVersions(parts.settings, parts.clock)
  return {
    routes: [
      bindOn(parts, bindHoldRoutes),
      bindOn(parts, bindCaseRoutes),
      bindOn(parts, bindListedRoutes),
      bindOn(parts, bindDisputeRoutes),
      bindOn(parts, bindCountRoutes),
      bindVersionRoutes({ ...parts, versions }),
    ],
    jobs: judgeJobs({ ...parts, versions }),
    hold: (tx, key, cause) => holdRecord(tx, parts, key, cause),
  }
}
