// Metrics of this node's pollers. Providers are entered by an admin, so the label has few values.
import { Counter, Gauge } from 'prom-client'
import { registry } from '../platform/metrics.ts'

export const pollErrors = new Counter({
  name: 'tollgate_provider_poll_errors_total',
  help: 'Polls that failed, by provider.',
  labelNames: ['provider'],
  registers: [registry],
})

export const rowsTotal = new Counter({
  name: 'tollgate_provider_rows_total',
  help: 'Rows by provider and by what became of them: stored, duplicate (a record already), waiting (a dead letter).',
  labelNames: ['provider', 'outcome'],
  registers: [registry],
})

export const lagSeconds = new Gauge({
  name: 'tollgate_provider_lag_seconds',
  help: 'Time since the last poll that went well, by provider.',
  labelNames: ['provider'],
  registers: [registry],
})

export const gaps = new Gauge({
  name: 'tollgate_provider_gap',
  help: '1 while a provider has brought nothing new for longer than its limit.',
  labelNames: ['provider'],
  registers: [registry],
})

/** Removes a provider's gauges: another node polls it now, or none. */
export function forget(provider: string): void {
  lagSeconds.remove(provider)
  gaps.remove(provider)
}
