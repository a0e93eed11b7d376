// A gateway with 10,000 clients, 100,000 numbers and millions of records of 180 days, and people who can sign in to it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { BlockIndexer } from '@tollgate/server/records/search/index-blocks.ts'
import { startGateway, type GatewayProcess } from '@tollgate/server/test/environment/children.ts'
import { fillRecords } from '@tollgate/server/test/traffic/fill.ts'
import { benchPassword, makeSupplier, signInAsAdmin } from '@tollgate/server/test/http/operator.ts'
import type { Database } from '@tollgate/server/platform/db.ts'
import type { LoadOptions } from './load.ts'
import { untilFollowersRest } from './followers.ts'
import { fillOnce, onServer } from './on-server.ts'

export const admin = 'bench-admin'
/** The client with the most numbers. */
export const client = 'client1'

export interface FilledGateway {
  readonly gateway: GatewayProcess
  readonly database: Database
  /** A steady load over SMPP; what is missing is how much of it. */
  readonly traffic: Omit<LoadOptions, 'seconds' | 'perSecond'>
}

/** Fills a database, or takes the one that an earlier run left in `keep`, and starts a gateway on it. */
export async function withFilledGateway<T>(
  { records, keep }: { readonly records: number; readonly keep: string | undefined },
  work: (filled: FilledGateway) => Promise<T>,
): Promise<T> {
  const dataDir =
    keep === undefined
      ? await mkdtemp(join(tmpdir(), 'tollgate-bench-'))
      : join(keep, `${records}-with-100000-numbers`)
  try {
    await fillOnce(dataDir, (database) => fill(database, records))
    return await onServer(dataDir, 'on', async ({ database, url }) => {
      const gateway = await startGateway(url, join(dataDir, 'gateway'), benchPassword)
      try {
        const call = await signInAsAdmin(gateway.url)
        await sql`
          update users u set password_hash = a.password_hash from users a
          where a.username = ${admin} and u.username = ${client}`.execute(database.db)
        const supplier = await makeSupplier(call)
        const numbers = await database.pool.query<{ number: string }>('select number from numbers limit 1000')
        await untilFollowersRest(database)
        const digits = numbers.rows.map(({ number }) => number)
        const traffic = { ...supplier, port: gateway.port, digits, binds: 4, window: 50 }
        return await work({ gateway, database, traffic })
      } finally {
        await gateway.stop()
      }
    })
  } finally {
    if (keep === undefined) await rm(dataDir, { recursive: true, force: true })
  }
}

async function fill({ db, pool }: Database, records: number): Promise<void> {
  const size = { records, clients: 10_000, numbers: 100_000, skew: 6 }
  await fillRecords(pool, { ...size, days: 180, now: new Date(), batchRecords: 100, open: 'in_progress' })
  const builder = new BlockIndexer(db)
  while ((await builder.build()) > 0);
  await pool.query('vacuum analyze record_blocks, record_block_groups, record_postings')
}
