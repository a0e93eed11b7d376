// The testbed of most measurements: a migrated PostgreSQL and a gateway on it.
import { join } from 'node:path'
import type { Database } from '@tollgate/server/platform/db.ts'
import { onNewServer } from './on-server.ts'
import { startGateway, type GatewayProcess } from '@tollgate/server/test/environment/children.ts'
import { benchPassword, signInAsAdmin, type Call } from '@tollgate/server/test/http/operator.ts'

export interface GatewayTestbed {
  readonly gateway: GatewayProcess
  readonly database: Database
  /** PostgreSQL's main process. */
  readonly postmasterPid: number
  /** Calls the API as the admin. */
  readonly call: Call
}

/** Fills the database, starts a gateway, runs `measure`, and removes everything. */
export async function withGateway<Filled, T>(
  fill: (database: Database) => Promise<Filled>,
  measure: (stand: GatewayTestbed, filled: Filled) => Promise<T>,
): Promise<T> {
  return onNewServer('on', async ({ database, url, postmasterPid }, dataDir) => {
    const filled = await fill(database)
    const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
    try {
      const call = await signInAsAdmin(gateway.url)
      return await measure({ gateway, database, postmasterPid, call }, filled)
    } finally {
      await gateway.stop()
    }
  })
}
