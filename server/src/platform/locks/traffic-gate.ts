// The traffic gate keeps money exact: no batch of messages is stored while prices, holders or cycles change. README.md
// explains it.
import { execute, type Db } from '../db.ts'
import { locks } from './locks.ts'

const { key } = locks.trafficGate

/** The SQL of {@link passTrafficGate}, for code that has a client of pg instead of a handle. */
export const passTrafficGateSql = `select pg_advisory_xact_lock_shared(${key})`

/**
 * Passes the gate (shared) and keeps it open until the transaction ends: no catalog change, no close of a cycle and no
 * ledger check comes between. Waits while one of these has closed it.
 */
export async function passTrafficGate(tx: Db): Promise<void> {
  await execute(tx, passTrafficGateSql)
}

/**
 * Closes the gate (exclusive) until the transaction ends: transactions that passed it have ended, and none passes. All
 * messages wait meanwhile, so be quick. With `waitMaxMs` it throws SQLSTATE 55P03 when the gate was not free in time.
 */
export async function closeTrafficGate(
  tx: Db,
  { waitMaxMs }: { readonly waitMaxMs?: number } = {},
): Promise<void> {
  const limit = waitMaxMs === undefined ? '' : `set local lock_timeout = ${waitMaxMs}; `
  await execute(tx, `${limit}select pg_advisory_xact_lock(${key})`)
}
