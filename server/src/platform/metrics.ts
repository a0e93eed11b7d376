// The one registry of Prometheus metrics. Our names begin with tollgate_, units are base units, and no label is unbounded.
// What is known of each process of Node.js has the names that dashboards expect.
import { performance } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { version } from './process/project.ts'

/** A slice makes its metrics once, at the top of a module, with `registers: [registry]`. */
export const registry = new Registry()

/**
 * Adds what Node.js knows of the process (memory, event loop, garbage collection). For the gateway itself, not for
 * tests.
 */
export function measureProcess(): void {
  collectDefaultMetrics({
    register: registry,
    // This histogram is not used (see measureLag), and it cannot be switched off. Its default wakes the process every
    // 10 ms; once a minute costs nothing.
    eventLoopMonitoringPrecision: 60_000,
  })
  for (const of of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`nodejs_eventloop_lag_${of}_seconds`)
  measureLag()
  new Gauge({
    name: 'tollgate_build_info',
    help: 'Always 1; its label is the version that runs.',
    labelNames: ['version'],
    registers: [registry],
  }).set({ version }, 1)
  let before = performance.eventLoopUtilization()
  const busy = new Gauge({
    name: 'tollgate_event_loop_busy_ratio',
    help: 'Part of the time since the last reading in which the event loop was at work, 0 to 1.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization()
      busy.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
  })
}

// Often enough to see a pause of some 100 ms, too seldom to cost anything.
const lagEveryMs = 200

/** Event-loop lag: a late timer shows how long something occupied the thread. */
function measureLag(): void {
  let worstMs = 0
  let dueAtMs = performance.now() + lagEveryMs
  setInterval(() => {
    const nowMs = performance.now()
    worstMs = Math.max(worstMs, nowMs - dueAtMs)
    dueAtMs = nowMs + lagEveryMs
  }, lagEveryMs).unref()
  const lag = new Gauge({
    name: 'tollgate_event_loop_lag_seconds',
    help: 'The longest that the event loop kept a timer waiting since the last reading.',
    registers: [registry],
    collect() {
      lag.set(worstMs / 1_000)
      worstMs = 0
    },
  })
}
