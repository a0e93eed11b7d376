// LISTEN and NOTIFY of PostgreSQL: short texts from one node to all nodes, itself included.
import { sql } from 'kysely'
import pg from 'pg'
import { driverOf, type Db } from '../db.ts'

export interface NotificationChannelOptions {
  /** The pool. The channel keeps one of its connections. */
  readonly db: Db
  readonly name: string
  readonly onNotification: (payload: string) => void
  /** Called with faults of the connection. What is sent while it is away is lost, so listeners must also poll. */
  readonly onFault: (error: unknown) => void
}

/** PostgreSQL takes less than 8,000 bytes. */
export const payloadBytesMax = 7_900
const reconnectMs = 1_000

export class NotificationChannel {
  readonly #options: NotificationChannelOptions
  #client: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #isStopped = true

  constructor(options: NotificationChannelOptions) {
    this.#options = options
  }

  /** Sends a payload of at most {@link payloadBytesMax}; inside a transaction it leaves with the commit. */
  async send(payload: string, db: Db = this.#options.db): Promise<void> {
    await sql`select pg_notify(${this.#options.name}, ${payload})`.execute(db)
  }

  /** Begins to listen. A connection that cannot be opened, or is lost, is opened again. */
  async start(): Promise<void> {
    this.#isStopped = false
    await this.#listen()
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#retry)
    this.#drop(this.#client)
  }

  async #listen(): Promise<void> {
    const { db, name, onNotification, onFault } = this.#options
    const pool = driverOf(db)
    if (!(pool instanceof pg.Pool)) throw new Error('Listening needs the pool, not a transaction')
    try {
      const client = await pool.connect()
      this.#client = client
      client.on('notification', ({ payload = '' }) => onNotification(payload))
      client.once('end', () => this.#onLost(client))
      client.once('error', () => this.#onLost(client))
      await client.query(`listen ${name}`)
      if (this.#isStopped) this.#drop(client)
    } catch (error) {
      onFault(error)
      this.#onLost(this.#client)
    }
  }

  #onLost(client: pg.PoolClient | undefined): void {
    if (client !== this.#client) return
    this.#drop(client)
    if (this.#isStopped) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#listen(), reconnectMs)
    this.#retry.unref()
  }

  #drop(client: pg.PoolClient | undefined): void {
    if (client === undefined || client !== this.#client) return
    this.#client = undefined
    // Destroyed instead of returned to the pool: no other user of the connection may get our notifications.
    client.release(true)
  }
}
