// Prometheus metrics of the reader: how far it is, and the transfers that nobody knows a debt for.
import { Gauge } from 'prom-client'
import { registry } from '../../platform/metrics.ts'
import type { BillingDeps } from '../../billing/index.ts'
import { listReadings } from '../reader/reader-store.ts'
import { sumOpen } from './transfer-views.ts'

const readAt = new Gauge({
  name: 'tollgate_treasury_read_timestamp_seconds',
  help: 'When the end of the list of transfers was last seen, of the wallet that waits longest; 0 before the first time.',
  registers: [registry],
})
const open = new Gauge({
  name: 'tollgate_treasury_open_transfers',
  help: 'Transfers that left our wallets and that nobody knows a debt for.',
  registers: [registry],
})

export async function measureTransfers({ db, tron, treasuryAddresses }: BillingDeps): Promise<void> {
  if (tron === undefined) return
  const scope = { network: tron.usdtContract, wallets: await treasuryAddresses.get(db) }
  if (scope.wallets.length === 0) return
  const readings = await listReadings(db, scope.network, scope.wallets)
  readAt.set(Math.min(...readings.map(({ read_at: at }) => (at?.getTime() ?? 0) / 1_000)))
  open.set((await sumOpen(db, scope)).count)
}
