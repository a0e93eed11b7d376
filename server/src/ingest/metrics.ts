// The metrics of ingest for Prometheus.
import { Counter, Gauge, Histogram } from 'prom-client'
import { recordSources, recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { registry } from '../platform/metrics.ts'
import type { SupplierCount } from './store.ts'

export const commitDuration = new Histogram({
  name: 'tollgate_ingest_commit_duration_seconds',
  help: 'Time from taking a batch to its commit.',
  buckets: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5],
  registers: [registry],
})

export const batchRows = new Histogram({
  name: 'tollgate_ingest_batch_rows',
  help: 'Messages in a batch.',
  buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
  registers: [registry],
})

export const messagesTotal = new Counter({
  name: 'tollgate_messages_total',
  help: 'Messages by source and result: a record status, or why it was not stored.',
  labelNames: ['source', 'status'],
  registers: [registry],
})

/** Counts a committed batch; `counts` has its messages by `source * 8 + status`. */
export function countStored(counts: ArrayLike<number>): void {
  for (let counter = 0; counter < counts.length; counter += 1) {
    const count = counts[counter] ?? 0
    if (count === 0) continue
    const source = recordSources[counter >>> 3] ?? ''
    messagesTotal.inc({ source, status: recordStatuses[counter & 7] ?? '' }, count)
  }
}

export const waitingMessages = new Gauge({
  name: 'tollgate_ingest_waiting_messages',
  help: 'Messages that wait for a writer.',
  registers: [registry],
})

const supplierMessages = new Gauge({
  name: 'tollgate_supplier_hour_messages',
  help: 'Messages of the present hour (UTC) by supplier, on all nodes together: the hundred largest.',
  labelNames: ['supplier'],
  registers: [registry],
})

/** Shows these suppliers and no others. */
export function showSuppliers(suppliers: readonly SupplierCount[]): void {
  supplierMessages.reset()
  for (const { supplier, count } of suppliers) supplierMessages.set({ supplier }, count)
}
