// pg's connection to PostgreSQL, with other promises for its results.
import pg from 'pg'
import { noteOfDatabase } from './away.ts'

type Callback = (error: Error | undefined, result: unknown) => void
type Query = (config: unknown, values?: unknown, callback?: Callback) => unknown

/**
 * pg's own promise of a result refers to the next result. Once garbage collection had made one of them old, all that
 * followed were kept and moved, until old objects were collected: while a hundred thousand rows were read, the event
 * loop was blocked for 5 ms again and again. With this promise it is half a millisecond (decision 36).
 */
export class PlainClient extends pg.Client {
  constructor(options?: string | pg.ClientConfig) {
    super(options)
    const query = super.query.bind(this) as Query
    const promising: Query = (config, values, callback) => {
      if (typeof values === 'function' || callback !== undefined || isSubmittable(config))
        return query(config, values, callback)
      return new Promise((resolve, reject) => {
        query(config, values, (error, result) => (error ? reject(error) : resolve(result)))
      }).catch(throwFromCaller)
    }
    this.query = promising as typeof this.query
    this.on('error', noteOfDatabase)
  }

  override connect(): Promise<this>
  override connect(connected: (error?: Error) => void): void
  override connect(connected?: (error?: Error) => void): Promise<this> | void {
    const connecting = super.connect().then(
      () => this,
      (error: Error) => {
        noteOfDatabase(error)
        throw error
      },
    )
    if (connected === undefined) return connecting
    connecting.then(() => connected(), connected)
  }
}

/** A COPY, a cursor: an object that talks to the server by itself. */
function isSubmittable(config: unknown): boolean {
  return typeof (config as { submit?: unknown } | undefined)?.submit === 'function'
}

/** The stack of the caller; the stack of the socket's event would say nothing. */
function throwFromCaller(error: Error): never {
  Error.captureStackTrace(error)
  throw error
}
