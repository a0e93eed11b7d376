// The testbed of most measurements: a migrated PostgreSQL and a gateway on it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase, type Database } from '../src/platform/db.ts'
import { startEmbedded } from '../src/platform/embedded/start.ts'
import { migrate } from '../src/platform/database/migrate.ts'
import { startGateway, type Gateway } from './children.ts'
import { benchPassword, signInAsAdmin, type Call } from './operator.ts'

export interface GatewayTestbed {
  readonly gateway: Gateway
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
  const dataDir = await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
  const server = await startEmbedded({ dataDir })
  const database = openDatabase({ address: { host: server.host, database: 'postgres' } })
  try {
    await migrate(database.pool)
    const filled = await fill(database)
    const url = `postgresql://postgres@localhost/postgres?host=${encodeURIComponent(server.host)}`
    const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
    try {
      const call = await signInAsAdmin(gateway.url)
      return await measure({ gateway, database, postmasterPid: server.pid(), call }, filled)
    } finally {
      await gateway.stop()
    }
  } finally {
    await database.close()
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
