// A connection that goes to whichever of several servers takes writes.
import type pg from 'pg'
import { PlainClient } from '../database/plain-client.ts'
import type { Primary } from './primary.ts'
import type { Server } from '../process/database-url.ts'
import { destroy, isReadOnly } from './probe.ts'

// SQLSTATE read_only_sql_transaction: whoever answers so is not the primary any more.
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
    #server: Server | undefined

    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const { connectionTimeoutMillis = 0 } = typeof config === 'object' ? config : {}
      // Before the pool's own timer, which tells nobody what was waited for.
      this.#timeoutMs = 0.8 * (connectionTimeoutMillis || standardTimeoutMs)
      // Owners listen as well, but only once they are connected.
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
      const forget = primary.add({ cut: () => destroy(this) }, server)
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

    /** After the answer, so that whoever asked hears why. */
    #leave(): void {
      if (this.#server !== undefined) primary.doubt(this.#server)
      setImmediate(() => destroy(this))
    }
  }
  return PrimaryClient
}
