// Sends a prepared flight of protocol messages over a pg connection and waits for its one end. pg itself can neither
// pipeline a COPY nor leave out its round trip.
import type pg from 'pg'

/** The connection went before the answer came: whether the flight was committed must be looked up. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

// What pg's Connection offers to a query; its types name only a part.
interface Connection {
  readonly stream: { write(bytes: Uint8Array): boolean }
  once(event: string, listener: () => void): void
  removeListener(event: string, listener: () => void): void
}

/** How long a flight took, and how long its end came after the last answer of a statement. */
export interface FlightTimes {
  readonly wholeMs: number
  /** The time of the commit, if a Flush stood before the Sync; otherwise it says nothing. */
  readonly endMs: number
}

/**
 * Sends `bytes`, which must end in exactly one Sync, and resolves when the server has done all of it. Rejects with the
 * server's error when the flight was undone, and with {@link ConnectionLost} when that is not known.
 */
export function fly(client: pg.ClientBase, bytes: Uint8Array): Promise<FlightTimes> {
  return new Promise((resolve, reject) => {
    client.query(new Flight(bytes, resolve, reject) as unknown as pg.Submittable)
  })
}

const ignore = () => undefined

class Flight {
  readonly #bytes: Uint8Array
  readonly #resolve: (times: FlightTimes) => void
  readonly #reject: (error: Error) => void
  readonly handleRowDescription = ignore
  readonly handleDataRow = ignore
  readonly handlePortalSuspended = ignore
  readonly handleEmptyQuery = ignore
  readonly handleCopyInResponse = ignore
  readonly handleCopyData = ignore
  #submittedAtMs = 0
  #answeredAtMs = 0

  constructor(bytes: Uint8Array, resolve: (times: FlightTimes) => void, reject: (error: Error) => void) {
    this.#bytes = bytes
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: Connection): void {
    this.#submittedAtMs = performance.now()
    connection.stream.write(this.#bytes)
  }

  handleCommandComplete(): void {
    this.#answeredAtMs = performance.now()
  }

  handleReadyForQuery(): void {
    const nowMs = performance.now()
    this.#resolve({ wholeMs: nowMs - this.#submittedAtMs, endMs: nowMs - this.#answeredAtMs })
  }

  /**
   * An error of the server counts only when the server goes on afterwards: one that ends the connection may also come
   * when the commit was through already.
   */
  handleError(error: Error & { code?: string }, connection: Connection): void {
    if (error.code === undefined || !/^[0-9A-Z]{5}$/.test(error.code)) {
      this.#reject(new ConnectionLost(error.message, { cause: error }))
      return
    }
    const end = (settle: () => void) => {
      connection.removeListener('readyForQuery', goesOn)
      connection.removeListener('end', isGone)
      settle()
    }
    const goesOn = () => end(() => this.#reject(error))
    const isGone = () => end(() => this.#reject(new ConnectionLost(error.message, { cause: error })))
    connection.once('readyForQuery', goesOn)
    connection.once('end', isGone)
  }
}
