// Sends events of states between nodes by LISTEN and NOTIFY, so that a screen shows a connection that another node runs.
import { sql } from 'kysely'
import pg from 'pg'
import { driverOf, type Db } from '../../platform/db.ts'
import type { StateEvent } from './state-events.ts'

const channel = 'tollgate_news'
// PostgreSQL takes less than 8,000 bytes.
const payloadBytesMax = 7_900
const reconnectMs = 1_000

export interface StateChannelOptions {
  readonly db: Db
  readonly onEvent: (event: StateEvent) => void
  readonly onFault: (error: Error) => void
}

export class StateChannel {
  readonly #options: StateChannelOptions
  #client: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #isStopped = true

  constructor(options: StateChannelOptions) {
    this.#options = options
  }

  /** Sends an event to all nodes, including this one. Call it after the commit of the new state. Never throws. */
  async publish(event: StateEvent): Promise<void> {
    const json = JSON.stringify(event)
    try {
      // Too long for a notification; screens of other nodes poll.
      if (Buffer.byteLength(json) > payloadBytesMax) this.#options.onEvent(event)
      else await sql`select pg_notify(${channel}, ${json})`.execute(this.#options.db)
    } catch (error) {
      this.#options.onFault(asError(error))
    }
  }

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
    const pool = driverOf(this.#options.db)
    if (!(pool instanceof pg.Pool)) throw new Error('StateEvent need the pool, not a transaction')
    try {
      const client = await pool.connect()
      this.#client = client
      client.on('notification', ({ payload }) => this.#receive(payload ?? ''))
      client.once('end', () => this.#onLost(client))
      client.once('error', () => this.#onLost(client))
      await client.query(`listen ${channel}`)
      if (this.#isStopped) this.#drop(client)
    } catch (error) {
      this.#options.onFault(asError(error))
      this.#onLost(this.#client)
    }
  }

  #receive(payload: string): void {
    try {
      this.#options.onEvent(JSON.parse(payload) as StateEvent)
    } catch (error) {
      this.#options.onFault(asError(error))
    }
  }

  #onLost(client: pg.PoolClient | undefined): void {
    if (client !== undefined && client !== this.#client) return
    this.#drop(client)
    if (this.#isStopped) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#listen(), reconnectMs)
  }

  #drop(client: pg.PoolClient | undefined): void {
    if (client === undefined || client !== this.#client) return
    this.#client = undefined
    // It listens, so it must not go back to the pool.
    client.release(true)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
