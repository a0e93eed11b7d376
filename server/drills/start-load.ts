// The load of most drills: a supplier that sends to the gateway, and periodic checks of the money. Both end with the drill.
import { addSupplier } from './business.ts'
import { PeriodicCheck, type DatabaseAddress } from './checker.ts'
import type { DrillOptions, DrillRun } from './define.ts'
import { Suppliers, type SuppliersOptions } from './suppliers.ts'

export interface LoadTarget {
  /** The node whose API makes the supplier. */
  readonly url: string
  readonly ports: readonly number[]
  readonly digits: readonly string[]
  /** The database to check; undefined while it is not running. */
  readonly address: () => Promise<DatabaseAddress | undefined>
}

export interface SupplierLoadOptions extends Pick<SuppliersOptions, 'perSecond'> {
  readonly binds?: number
  readonly repeatShare?: number
  readonly checkEveryMs?: number
}

/** Makes a supplier, starts its load and the checks. */
export async function startLoad(
  { onEnd, random }: Pick<DrillRun<DrillOptions>, 'onEnd' | 'random'>,
  { url, ports, digits, address }: LoadTarget,
  { perSecond, binds = 6, repeatShare = 0.5, checkEveryMs = 3_000 }: SupplierLoadOptions,
): Promise<{ suppliers: Suppliers; periodic: PeriodicCheck }> {
  const supplier = await addSupplier(url)
  const load = { ports, digits, binds, window: 50, perSecond, repeatShare, random }
  const suppliers = new Suppliers({ ...supplier, ...load })
  onEnd(() => suppliers.stop())
  const periodic = new PeriodicCheck(address)
  periodic.start(checkEveryMs)
  onEnd(() => periodic.stop())
  suppliers.start()
  return { suppliers, periodic }
}
