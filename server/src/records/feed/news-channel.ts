// Carries news between nodes by LISTEN and NOTIFY, so that a screen hears of a connection that another node runs.
import { sql } from 'kysely'
import pg from 'pg'
import { driverOf, type Db } from '../../platform/db.ts'
import type { News } from './audience.ts'

const channel = 'tollgate_news'
// PostgreSQL takes less than 8,000 bytes.
const payloadBytesMost = 7_900
const reconnectMs = 1_000

export interface NewsChannelOptions {
  readonly db: Db
  readonly onNews: (news: News) => void
  readonly onFault: (error: Error) => void
}

export class NewsChannel {
  readonly #options: NewsChannelOptions
  #client: pg.PoolClient | undefined
  #retry: NodeJS.Timeout | undefined
  #isStopped = true

  constructor(options: NewsChannelOptions) {
    this.#options = options
  }

  /** Sends news to all nodes, this one included, at once: call it after the commit of what it tells. Never throws. */
  async publish(news: News): Promise<void> {
    const json = JSON.stringify(news)
    try {
      // Too long for the others; they poll.
      if (Buffer.byteLength(json) > payloadBytesMost) this.#options.onNews(news)
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
    if (!(pool instanceof pg.Pool)) throw new Error('News need the pool, not a transaction')
    try {
      const client = await pool.connect()
      this.#client = client
      client.on('notification', ({ payload }) => this.#hear(payload ?? ''))
      client.once('end', () => this.#lost(client))
      client.once('error', () => this.#lost(client))
      await client.query(`listen ${channel}`)
      if (this.#isStopped) this.#drop(client)
    } catch (error) {
      this.#options.onFault(asError(error))
      this.#lost(this.#client)
    }
  }

  #hear(payload: string): void {
    try {
      this.#options.onNews(JSON.parse(payload) as News)
    } catch (error) {
      this.#options.onFault(asError(error))
    }
  }

  #lost(client: pg.PoolClient | undefined): void {
    if (client !== undefined && client !== this.#client) return
    this.#drop(client)
    if (this.#isStopped) return
    clearTimeout(this.#retry)
    this.#retry = setTimeout(() => void this.#listen(), reconnectMs)
  }

  #drop(client: pg.PoolClient | undefined): void {
    if (client === undefined || client !== this.#client) return
    this.#client = undefined
    // It listens, so nobody else may have it.
    client.release(true)
  }
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error))
}
