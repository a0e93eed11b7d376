// The database handle every slice gets. Plain SQL through Kysely's `sql` tag (safe parameters, composable parts);
// COPY and named statements go to the `pg` pool itself.
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'

/** No table types: each store names the row type of each of its statements. */
export type Schema = Record<string, never>

/** Runs statements: the pool, or one transaction. Stores take this, so the caller decides the transaction. */
export type Db = Kysely<Schema>

export interface Database {
  readonly db: Db
  readonly pool: pg.Pool
  /** Ends every connection; later statements fail. */
  close(): Promise<void>
}

// bigint columns come as bigint, so that no amount passes through a float.
const int8TypeId = 20

/**
 * Opens a pool. `connectionMax` bounds what one node takes from PostgreSQL.
 * Connection errors of idle clients are given to `onError`; without it they would end the process.
 */
export function openDatabase(options: {
  connection: pg.PoolConfig
  connectionMax?: number
  onError?: (error: Error) => void
}): Database {
  const onError = options.onError ?? (() => undefined)
  const types = new pg.TypeOverrides()
  types.setTypeParser(int8TypeId, (text: string) => BigInt(text))
  const pool = new pg.Pool({
    max: options.connectionMax ?? 20,
    connectionTimeoutMillis: 5_000,
    idleTimeoutMillis: 60_000,
    ...options.connection,
    types,
  })
  pool.on('error', onError)
  pool.on('connect', (client) => {
    client.on('error', onError)
  })
  const db: Db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  let closing: Promise<void> | undefined
  return {
    db,
    pool,
    close() {
      closing ??= db.destroy()
      return closing
    },
  }
}
