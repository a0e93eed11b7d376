// The connection of one writer: opened in advance, reopened until it succeeds, with the batch statements prepared.
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { networkOptions } from '../platform/db.ts'
import { backoffMs } from '../platform/work/backoff.ts'
import { timedOut, within } from '../platform/work/within.ts'
import { ConnectionLost, sendBatch, type BatchTimes } from './in-flight.ts'
import { batchStatements } from './statements.ts'
import { backendOf, type Backend } from './store.ts'
import { WireWriter } from './wire.ts'

export interface OpenConnection {
  readonly client: pg.Client
  readonly backend: Backend
}

export interface WriterConnectionOptions {
  /** Makes a connection with these settings. */
  readonly newClient: (settings: pg.ClientConfig) => pg.Client
  /** Whether records are spread over servers. */
  readonly isSpread: () => boolean
  readonly onFault: (error: Error) => void
}

// Short enough that full speed is back within a second of the database's return.
const retryFirstMs = 50
const retryMaxMs = 500

/**
 * Limits what a batch can wait for inside the server. A change of the catalog keeps the gate for milliseconds, an
 * import for seconds. When it takes longer, the peer gets an answer that asks it to send again, before it times out.
 */
const limits = {
  connectionTimeoutMillis: 2_000,
  lock_timeout: 1_500,
  statement_timeout: 5_000,
  idle_in_transaction_session_timeout: 10_000,
  options: networkOptions,
  keepAlive: true,
  application_name: 'tollgate-ingest',
}
// Above the server's own limits, so it is reached only when the network lost the answer.
const batchMaxMs = 8_000

export class WriterConnection {
  readonly #options: WriterConnectionOptions
  #open: OpenConnection | undefined
  #opening: Promise<OpenConnection> | undefined
  readonly #closing = new AbortController()

  constructor(options: WriterConnectionOptions) {
    this.#options = options
  }

  get isClosed(): boolean {
    return this.#closing.signal.aborted
  }

  /** The connection, waiting for it until `untilMs` (performance.now()); undefined when it is not there by then. */
  async get(untilMs: number): Promise<OpenConnection | undefined> {
    if (this.#open !== undefined) return this.#open
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined))
    const opened = await within(this.#opening, untilMs - performance.now()).catch(() => undefined)
    return opened === timedOut ? undefined : opened
  }

  /** As {@link sendBatch}, with a time limit. A lost connection is reopened by itself. */
  async send(open: OpenConnection, bytes: Uint8Array): Promise<BatchTimes> {
    const timer = setTimeout(() => this.drop(open), batchMaxMs)
    try {
      return await sendBatch(open.client, bytes)
    } catch (error) {
      if (error instanceof ConnectionLost) this.drop(open)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** Closes a connection at once and begins to open another. */
  drop(open: OpenConnection): void {
    if (this.#open !== open) return
    this.#open = undefined
    destroy(open.client)
    if (!this.#closing.signal.aborted) void this.get(0)
  }

  async close(): Promise<void> {
    this.#closing.abort()
    await this.#opening?.catch(() => undefined)
    const open = this.#open
    this.#open = undefined
    await open?.client.end().catch(() => undefined)
  }

  async #connect(): Promise<OpenConnection> {
    const { signal } = this.#closing
    for (let failures = 1; ; failures += 1) {
      signal.throwIfAborted()
      try {
        return await this.#connectOnce()
      } catch (error) {
        this.#options.onFault(error instanceof Error ? error : new Error(String(error)))
        const waitMs = backoffMs(failures, { firstMs: retryFirstMs, maxMs: retryMaxMs })
        await sleep(waitMs * (0.75 + Math.random() / 2), undefined, { signal })
      }
    }
  }

  async #connectOnce(): Promise<OpenConnection> {
    const client = this.#options.newClient(limits)
    let opened: OpenConnection | undefined
    client.on('error', (error) => {
      this.#options.onFault(error)
      if (opened !== undefined) this.drop(opened)
    })
    try {
      await client.connect()
      await parseStatements(client, this.#options.isSpread())
      opened = { client, backend: await backendOf(client) }
    } catch (error) {
      destroy(client)
      throw error
    }
    this.#open = opened
    return opened
  }
}

async function parseStatements(client: pg.Client, isSpread: boolean): Promise<void> {
  const wire = new WireWriter(8192)
  for (const { name, text } of batchStatements(isSpread)) wire.parse(name, text)
  wire.signal('S')
  await sendBatch(client, wire.bytes.subarray(0, wire.length))
}

/** Closes the socket without the protocol's goodbye: end() would wait for an answer that may never come. */
function destroy(client: pg.Client): void {
  const { connection } = client as unknown as { connection: { stream: { destroy(): void } } }
  connection.stream.destroy()
}
