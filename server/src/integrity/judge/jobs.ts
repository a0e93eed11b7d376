// When the judge works: a small part of the time, on one node.
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Overload } from '../../platform/load/overload.ts'
import type { Job } from '../../platform/work/jobs.ts'
import type { Modes } from '../modes.ts'
import type { Versions } from '../versions/versions.ts'
import { matchDisputes } from '../disputes/match-disputes.ts'
import { inTurns } from '../in-turns.ts'
import { judgeDueDays } from './due-days.ts'
import { forgetSenderDays } from './sender-days.ts'

export interface JudgeParts {
  readonly db: Db
  readonly clock: Clock
  readonly readModes: (db: Db) => Promise<Modes>
  readonly versions: Pick<Versions, 'live'>
  readonly overload: Pick<Overload, 'shouldWait'>
}

const everyMs = 500
// How long it rests at least.
const restMs = 2_000
// How long it works, and how many times as long it rests after that: a twentieth of the time.
const usual = { workMs: 100, restTimes: 19 }
// A fifth, when it has not done all that was due for so long: a hold that comes late costs more.
const hurried = { workMs: 500, restTimes: 4 }
const behindMs = 30_000

/** The judge, the matching of disputes, and the forgetting. With the mode off nothing is judged. */
export function judgeJobs({ db, clock, readModes, versions, overload }: JudgeParts): Job[] {
  let restsUntilMs = 0
  let didAllAtMs = performance.now()
  async function run(signal: AbortSignal): Promise<void> {
    if (performance.now() < restsUntilMs || overload.shouldWait()) return
    const modes = await readModes(db)
    const startedAtMs = performance.now()
    if (!modes.isAnyOn) {
      didAllAtMs = startedAtMs
      return
    }
    const { workMs, restTimes } = startedAtMs - didAllAtMs > behindMs ? hurried : usual
    const goesOn = () => !signal.aborted && performance.now() - startedAtMs < workMs
    await judgeDueDays({ db, now: clock.now(), version: await versions.live(db), modes, goesOn })
    // It ended because nothing was left, and not because its time was over.
    if (goesOn()) didAllAtMs = startedAtMs
    const endedAtMs = performance.now()
    restsUntilMs = endedAtMs + Math.max(restMs, restTimes * (endedAtMs - startedAtMs))
  }
  return [
    { name: 'judge-traffic', everyMs, run },
    inTurns('match-disputes', overload, (goesOn) => matchDisputes({ db, clock, goesOn })),
    { name: 'forget-senders', everyMs: 3_600_000, run: () => forgetSenderDays(db, clock.now()) },
  ]
}
