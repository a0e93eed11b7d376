// Checks again and again, over a connection of its own, whether one server takes writes.
import pg from 'pg'
import type { DatabaseServer } from '../process/database-url.ts'

export interface ServerState {
  readonly server: DatabaseServer
  readonly takesWrites: boolean
  /** The timeline of its WAL: each promotion begins a new one. 0 for a standby, and where it is unknown. */
  readonly timeline: number
}

// A server that answers does so in milliseconds; one that is frozen or cut off never does.
const patienceMs = 1_000

const isReadOnlySql = `select pg_is_in_recovery() or current_setting('transaction_read_only')::boolean as is_read_only`
// The first eight digits of a log file's name (PostgreSQL's documentation, 28.6 "WAL Internals").
const timelineSql = `select ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int as timeline`

/** Whether the server behind a connection refuses writes: a standby, or set to. Throws when it does not answer. */
export async function isReadOnly(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query<{ is_read_only: boolean }>(isReadOnlySql)
  return rows[0]?.is_read_only !== false
}

export class Probe {
  readonly #server: DatabaseServer
  readonly #url: string
  #client: pg.Client | undefined

  constructor(server: DatabaseServer, url: string) {
    this.#server = server
    this.#url = url
  }

  /** The server's state; undefined when it does not answer within a second. */
  async ask(): Promise<ServerState | undefined> {
    try {
      const client = (this.#client ??= await this.#connect())
      if (await isReadOnly(client)) return { server: this.#server, takesWrites: false, timeline: 0 }
      return { server: this.#server, takesWrites: true, timeline: await timelineOf(client) }
    } catch {
      this.close()
      return undefined
    }
  }

  close(): void {
    const client = this.#client
    this.#client = undefined
    if (client !== undefined) destroy(client)
  }

  async #connect(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.#url,
      connectionTimeoutMillis: patienceMs,
      query_timeout: patienceMs,
      application_name: 'tollgate-primary',
    })
    Object.assign(client, this.#server)
    // The next query reports it.
    client.on('error', () => destroy(client))
    try {
      await client.connect()
      return client
    } catch (error) {
      destroy(client)
      throw error
    }
  }
}

/** Some services show nobody the WAL; one that fails over by DNS name never shows two primaries. */
async function timelineOf(client: pg.ClientBase): Promise<number> {
  try {
    const { rows } = await client.query<{ timeline: number }>(timelineSql)
    return rows[0]?.timeline ?? 0
  } catch (error) {
    if (error instanceof pg.DatabaseError) return 0
    throw error
  }
}

/** Closes the socket without a goodbye, which a frozen server would never answer. */
export function destroy(client: pg.ClientBase): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
