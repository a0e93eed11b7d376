// A connection that goes to whichever of several servers takes writes.
import type pg from 'pg'
import { PlainClient } from '../database/plain-client.ts'
import type { Primary } from './primary.ts'
import type { DatabaseServer } from '../process/database-url.ts'
import { destroy, isReadOnly } from './probe.ts'

// SQLSTATE read_only_sql_transaction: a server that answers with it is no longer the primary.
const readOnlyState = '25006'
const standardTimeoutMs = 5_000

type Connected = (error?: Error) => void
interface Wire {
  on(event: 'errorMessage', listener: (message: { code?: string }) => void): void
  readonly stream: { readonly destroyed: boolean }
}

/** A class for pg's pool, or for a connection of one's own. */
export function clientOf(primary: Primary): typeof pg.Client {
  class PrimaryClient extends PlainClient {
    readonly #timeoutMs: number
    #server: DatabaseServer | undefined

    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const { connectionTimeoutMillis = 0 } = typeof config === 'object' ? config : {}
      // Shorter than the pool's own time limit, whose error does not say what was waited for.
      this.#timeoutMs = 0.8 * (connectionTimeoutMillis || standardTimeoutMs)
      // The pool listens as well, but only after the connection is made.
      this.on('error', () => undefined)
      this.#wire.on('errorMessage', ({ code }) => {
        if (code === readOnlyState) this.#leave()
      })
    }

    get #wire(): Wire {
      return (this as unknown as { connection: Wire }).connection
    }

    override connect(): Promise<this>
    override connect(connected: Connected): void
    override connect(connected?: Connected): Promise<this> | void {
      const connecting = this.#connect()
      if (connected === undefined) return connecting
      connecting.then(() => connected(), connected)
    }

    async #connect(): Promise<this> {
      const server = await primary.current(this.#timeoutMs)
      // The pool gave up meanwhile.
      if (this.#wire.stream.destroyed) throw new Error('Connection terminated before a server was found')
      this.#server = server
      Object.assign(this, server)
      const forget = primary.add({ close: () => destroy(this) }, server)
      this.once('end', forget)
      try {
        await super.connect()
        if (await isReadOnly(this)) throw new Error(`Connection terminated: ${server.host} takes no writes`)
        return this
      } catch (error) {
        forget()
        primary.doubt(server)
        destroy(this)
        throw error
      }
    }

    /** Closes the connection after the response, so that the caller gets the error. */
    #leave(): void {
      if (this.#server !== undefined) primary.doubt(this.#server)
      setImmediate(() => destroy(this))
    }
  }
  return PrimaryClient
}
