// The one registry of Prometheus metrics. Names begin with tollgate_, units are base units, and no label is unbounded.
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

/** A slice makes its metrics once, at the top of a module, with `registers: [registry]`. */
export const registry = new Registry()

/** Adds what Node knows of the process (memory, event loop, garbage collection). For the gateway itself, not for tests. */
export function measureProcess(): void {
  collectDefaultMetrics({
    register: registry,
    prefix: 'tollgate_',
    // It wakes the process so often, for percentiles that hold this pause itself: as good as off.
    eventLoopMonitoringPrecision: 60_000,
  })
  for (const of of ['min', 'max', 'mean', 'stddev', 'p50', 'p90', 'p99'])
    registry.removeSingleMetric(`tollgate_nodejs_eventloop_lag_${of}_seconds`)
  let before = performance.eventLoopUtilization()
  const busy = new Gauge({
    name: 'tollgate_nodejs_eventloop_busy_ratio',
    help: 'Part of the time since the last reading in which the event loop was at work, 0 to 1.',
    registers: [registry],
    collect() {
      const now = performance.eventLoopUtilization()
      busy.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
  })
}
