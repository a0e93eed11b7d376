// The one registry of Prometheus metrics. Names begin with tollgate_, units are base units, and no label is unbounded.
import { collectDefaultMetrics, Registry } from 'prom-client'

/** A slice makes its metrics once, at the top of a module, with `registers: [registry]`. */
export const registry = new Registry()

/** Adds what Node knows of the process (memory, event loop, garbage collection). For the gateway itself, not for tests. */
export function measureProcess(): void {
  collectDefaultMetrics({ register: registry, prefix: 'tollgate_' })
}
