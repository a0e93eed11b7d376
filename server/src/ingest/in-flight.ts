// Sends a prepared batch of protocol messages over a pg connection and waits for the one answer at its end. The pg
// library cannot pipeline a COPY, which would cost one more round trip.
import type pg from 'pg'

/** The connection broke before the answer came: whether the batch was committed must be looked up. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost'
}

// The methods of pg's Connection that are used here; its published types lack some of them.
interface BatchConnection {
  readonly stream: { write(bytes: Uint8Array): boolean }
  once(event: string, listener: () => void): void
  removeListener(event: string, listener: () => void): void
}

/** How long the round trip took, and how long after the last statement's answer it ended. */
export interface BatchTimes {
  readonly wholeMs: number
  /** The time of the commit, if a Flush was sent before the Sync; without meaning otherwise. */
  readonly endMs: number
}

/**
 * Sends `bytes`, which must end in exactly one Sync, and resolves when the server has executed all of it. Rejects with
 * the server's error when the batch was rolled back, and with {@link ConnectionLost} when that is not known.
 */
export function sendBatch(client: pg.ClientBase, bytes: Uint8Array): Promise<BatchTimes> {
  return new Promise((resolve, reject) => {
    client.query(new InFlightBatch(bytes, resolve, reject) as unknown as pg.Submittable)
  })
}

const ignore = () => undefined

class InFlightBatch {
  readonly #bytes: Uint8Array
  readonly #resolve: (times: BatchTimes) => void
  readonly #reject: (error: Error) => void
  readonly handleRowDescription = ignore
  readonly handleDataRow = ignore
  readonly handlePortalSuspended = ignore
  readonly handleEmptyQuery = ignore
  readonly handleCopyInResponse = ignore
  readonly handleCopyData = ignore
  #submittedAtMs = 0
  #answeredAtMs = 0

  constructor(bytes: Uint8Array, resolve: (times: BatchTimes) => void, reject: (error: Error) => void) {
    this.#bytes = bytes
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: BatchConnection): void {
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
   * A server error proves a rollback only if the server continues afterwards: an error that ends the connection may
   * also come after the commit.
   */
  handleError(error: Error & { code?: string }, connection: BatchConnection): void {
    if (error.code === undefined || !/^[0-9A-Z]{5}$/.test(error.code)) {
      this.#reject(new ConnectionLost(error.message, { cause: error }))
      return
    }
    const end = (settle: () => void) => {
      connection.removeListener('readyForQuery', continues)
      connection.removeListener('end', isGone)
      settle()
    }
    const continues = () => end(() => this.#reject(error))
    const isGone = () => end(() => this.#reject(new ConnectionLost(error.message, { cause: error })))
    connection.once('readyForQuery', continues)
    connection.once('end', isGone)
  }
}
