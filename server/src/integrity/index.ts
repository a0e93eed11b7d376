// Entry of the integrity slice: money is held back until a person has decided, and what looks pumped is found.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Db } from '../platform/db.ts'
import { bindOn, type BoundRoutes } from '../http/handlers.ts'
import type { RecordKey } from '../ingest/index.ts'
import type { Overload } from '../platform/load/overload.ts'
import type { Job } from '../platform/work/jobs.ts'
import type { Settings } from '../settings/index.ts'
import { bindBackTestRoutes } from './back-test/routes.ts'
import { runBackTests } from './back-test/run-back-tests.ts'
import { bindCountRoutes } from './counts/routes.ts'
import { bindDisputeRoutes, type DisputeRouteParts } from './disputes/routes.ts'
import { inTurns } from './in-turns.ts'
import { bindListedRoutes, type ListedRouteParts } from './listed/routes.ts'
import { bindCaseRoutes, bindHoldRoutes, type HoldRouteParts } from './routes.ts'
import { applySlice, type ApplyParts } from './apply/apply-cases.ts'
import { MessageSearch } from './apply/apply-store.ts'
import type { BilledDebts } from './apply/billed-debts.ts'
import { isJudged } from './apply/is-judged.ts'
import { judgeJobs, type JudgeParts } from './judge/jobs.ts'
import { defineModes, type ModeForAll } from './modes.ts'
import { moveNextSlice } from './move-decided.ts'
import { holdRecord } from './service.ts'
import type { HoldCause } from './store.ts'
import { bindVersionRoutes } from './versions/routes.ts'
import { defineVersions } from './versions/versions.ts'

export type { BilledDebts, BilledPart } from './apply/billed-debts.ts'
export { caseAlerts } from './case-alerts.ts'
export { eraseFromIntegrity, isSenderNeeded } from './erase-sender.ts'
export { inTurns } from './in-turns.ts'
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
  /** Whether all messages stored until then are judged and held; true where nothing is enforced. */
  isJudged(db: Db, until: Date): Promise<boolean>
  /** Holds the messages of all open cases, and moves all that is decided, as the job does each second. */
  holdMessages(): Promise<void>
}

export interface IntegrityParts
  extends
    HoldRouteParts,
    ListedRouteParts,
    Omit<DisputeRouteParts, 'readModes'>,
    Omit<JudgeParts, 'versions' | 'readModes' | 'overload'> {
  readonly overload: Overload
  readonly settings: Settings
  readonly mode: ModeForAll
  readonly debts: BilledDebts
}

/** Builds the slice. */
export function createIntegrity(parts: IntegrityParts): Integrity {
  const versions = defineVersions(parts.settings, parts.clock)
  const readModes = defineModes(parts.settings, parts.mode)
  return {
    routes: [
      bindOn(parts, bindHoldRoutes),
      bindOn(parts, bindCaseRoutes),
      bindOn(parts, bindListedRoutes),
      bindDisputeRoutes({ ...parts, readModes }),
      bindOn(parts, bindCountRoutes),
      bindOn(parts, bindBackTestRoutes),
      bindVersionRoutes({ ...parts, versions }),
    ],
    holdMessages: () =>
      holdMessages({ ...parts, readModes }, { goesOn: () => true, piece: (work) => work() }),
    jobs: [
      ...judgeJobs({ ...parts, versions, readModes }),
      holdJob({ ...parts, readModes }),
      inTurns('back-test', parts.overload, (goesOn) =>
        runBackTests({ db: parts.db, now: parts.clock.now(), goesOn }),
      ),
    ],
    isJudged: async (db, until) => isJudged(db, await readModes(db), until),
    hold: (tx, key, cause) => holdRecord(tx, parts, key, cause),
  }
}

/** How slices follow each other. */
interface Pace {
  readonly goesOn: () => boolean
  readonly piece: <T>(work: () => Promise<T>) => Promise<T>
}

/**
 * Holds the messages of cases, and moves what is decided and was too much for one transaction. A slice takes its turn with
 * the steps of followers, and a rest comes after it: one after the other they would keep a processor of the database busy
 * for seconds, beside a follower's step both of a small machine.
 */
function holdJob(parts: ApplyParts & { readonly overload: Overload }): Job {
  const { overload } = parts
  async function piece<T>(work: () => Promise<T>): Promise<T> {
    const { found, restMs } = await overload.turn(work)
    await sleep(restMs)
    return found
  }
  return {
    name: 'hold-messages',
    everyMs: 1_000,
    run: (signal) => holdMessages(parts, { goesOn: () => !signal.aborted && !overload.shouldWait(), piece }),
  }
}

async function holdMessages(parts: ApplyParts, { goesOn, piece }: Pace): Promise<void> {
  const run = { skipped: new Set<string>(), search: new MessageSearch() }
  while (goesOn() && (await piece(() => applySlice(parts, run))) === 'more');
  while (goesOn() && (await piece(() => moveNextSlice(parts.db, parts))));
}
