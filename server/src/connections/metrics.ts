// The metrics of our links to upstreams.
import { Gauge } from 'prom-client'
import { registry } from '../platform/metrics.ts'

/** As many series as there are connections, which the operator makes by hand. */
export const upstreamUp = new Gauge({
  name: 'tollgate_upstream_up',
  help: 'Whether the connection to an upstream is bound, 1 or 0, on the node that owns it.',
  labelNames: ['connection'],
  registers: [registry],
})
