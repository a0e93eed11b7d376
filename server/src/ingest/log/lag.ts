// How long each follower of the log has not reached its end.
import { Gauge } from 'prom-client'
import { registry } from '../../platform/metrics.ts'

/** The followers that keep a position in the database. */
export type FollowerName = 'search' | 'long_messages' | 'numbers' | 'senders' | 'deliveries' | 'webhooks'

interface State {
  /** When it was at the end of the log last, in ms of the process. */
  endAtMs: number
  /** When its last step began or ended; undefined while a step is under way. */
  restsSinceMs: number | undefined
}

const states = new Map<FollowerName, State>()
/** One that has rested for longer than any pause has stopped here: another node follows. */
const stoppedAfterMs = 60_000

const lag = new Gauge({
  name: 'tollgate_log_lag_seconds',
  help: 'How long a follower of the log has not reached its end: what was stored since may be missing in what it keeps.',
  labelNames: ['follower'],
  registers: [registry],
  collect() {
    const nowMs = performance.now()
    for (const [follower, { endAtMs, restsSinceMs }] of states)
      if (nowMs - (restsSinceMs ?? nowMs) > stoppedAfterMs) {
        states.delete(follower)
        lag.remove(follower)
      } else lag.set({ follower }, (nowMs - endAtMs) / 1_000)
  },
})

/** Does a step of a follower, whose result says whether there is more; measures how long there has been more. */
export async function measured<S extends { readonly isMore: boolean }>(
  follower: FollowerName,
  step: () => Promise<S>,
): Promise<S> {
  const beganAtMs = performance.now()
  const state = states.get(follower) ?? { endAtMs: beganAtMs, restsSinceMs: undefined }
  states.set(follower, state)
  state.restsSinceMs = undefined
  try {
    const done = await step()
    // What came during the step is younger than its beginning.
    if (!done.isMore) state.endAtMs = beganAtMs
    return done
  } finally {
    state.restsSinceMs = performance.now()
  }
}
