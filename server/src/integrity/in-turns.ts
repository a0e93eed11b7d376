// Work that a person waits for, in pieces beside the traffic.
import type { Overload } from '../platform/load/overload.ts'
import type { Job } from '../platform/work/jobs.ts'

/** How long it works, and rests after that. */
const turnMs = 1_000

/** A job that does some pieces at a time, and none while messages need the machine. */
export function inTurns(
  name: string,
  overload: Pick<Overload, 'shouldWait'>,
  work: (goesOn: () => boolean) => Promise<unknown>,
): Job {
  return {
    name,
    everyMs: turnMs,
    async run(signal) {
      const startedAtMs = performance.now()
      const goesOn = () =>
        !signal.aborted && !overload.shouldWait() && performance.now() - startedAtMs < turnMs
      if (!overload.shouldWait()) await work(goesOn)
    },
  }
}
