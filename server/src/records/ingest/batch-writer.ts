// Stores one batch at a time on a connection of its own, and knows for certain what became of it.
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../../platform/db.ts'
import type { BatchEncoder, OpenCycle } from './batch-encoder.ts'
import type { BatchIds } from './batch-ids.ts'
import { ConnectionLost } from './flight.ts'
import { movedOnState } from './statements.ts'
import { isBatchStored } from './store.ts'
import type { Waiting } from './waiting.ts'
import type { Weeks } from './weeks.ts'
import type { OpenConnection, WriterConnection } from './writer-connection.ts'

/**
 * What became of a batch. `stored`: committed; the encoder's lists say which messages have a row. `bad`: undone, because
 * the database refuses something in it. `unavailable`: not stored (or, after a loss that could not be cleared up in
 * time, not known to be).
 */
export type Outcome =
  | { readonly kind: 'stored'; readonly batchId: number }
  | { readonly kind: 'bad'; readonly error: Error }
  | { readonly kind: 'unavailable'; readonly error: Error | undefined }

export interface BatchWriterOptions {
  readonly connection: WriterConnection
  readonly encoder: BatchEncoder
  readonly ids: BatchIds
  readonly weeks: Weeks
  readonly cycle: () => OpenCycle
  /** Brings catalog, rates and the open cycle up to date. */
  readonly refresh: () => Promise<void>
}

// A peer waits about 30 s for its answer, so the truth about a lost batch is worth waiting for: "no" to a message that
// is stored would bring it again.
const clearUpMaxMs = 25_000
// Data exceptions, broken constraints and what our own triggers raise: the same rows would fail for ever.
const badClasses = new Set(['22', '23', 'P0'])

export class BatchWriter {
  readonly #options: BatchWriterOptions
  /** The connection that a lost batch may still be running on. */
  #lost: { open: OpenConnection; batchId: number } | undefined

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  get encoder(): BatchEncoder {
    return this.#options.encoder
  }

  /** Stores the batch; gives up at `untilMs` (performance.now()) if the database is not there or too slow. */
  async write(batch: Waiting, untilMs: number): Promise<Outcome> {
    let error: Error | undefined
    for (let hasMovedOn = false; ;) {
      const open = await this.#options.connection.get(untilMs)
      if (open === undefined) return { kind: 'unavailable', error }
      try {
        const batchId = await (hasMovedOn
          ? this.#writeBehindGate(open, batch)
          : this.#writeAtOnce(open, batch))
        return { kind: 'stored', batchId }
      } catch (cause) {
        error = cause instanceof Error ? cause : new Error(String(cause))
      }
      const lostId = this.#lost?.batchId
      if (lostId !== undefined) {
        const isStored = await this.#clearUp(performance.now() + clearUpMaxMs)
        if (isStored === undefined) return { kind: 'unavailable', error }
        if (isStored) return { kind: 'stored', batchId: lostId }
      }
      const state = sqlState(error) ?? ''
      if (badClasses.has(state.slice(0, 2))) return { kind: 'bad', error }
      hasMovedOn = state === movedOnState
      if (performance.now() >= untilMs) return { kind: 'unavailable', error }
      if (!hasMovedOn) await sleep(20)
    }
  }

  /** The usual way: one flight, priced beforehand; the gate undoes it if that price is out of date. */
  async #writeAtOnce(open: OpenConnection, batch: Waiting): Promise<number> {
    return this.#write(open, batch, 'gated')
  }

  /** Behind the gate nothing can change any more, so a batch that was too late once gets through the second time. */
  async #writeBehindGate(open: OpenConnection, batch: Waiting): Promise<number> {
    try {
      await open.client.query('begin')
      await open.client.query('select pg_advisory_xact_lock_shared(7001)')
      await this.#options.refresh()
      return await this.#write(open, batch, 'begun')
    } catch (error) {
      await open.client.query('rollback').catch(() => this.#options.connection.drop(open))
      throw error
    }
  }

  async #write(open: OpenConnection, batch: Waiting, mode: 'gated' | 'begun'): Promise<number> {
    const { connection, encoder, ids, weeks, cycle } = this.#options
    const preparation = weeks.prepare(batch.messages)
    if (preparation !== undefined) await preparation
    const batchId = ids.tryTake() ?? (await ids.take())
    const { messages, extraFlags } = batch
    const bytes = encoder.encode({ messages, extraFlags, batchId, cycle: cycle(), mode })
    if (bytes === undefined) {
      if (mode === 'begun') await open.client.query('commit')
      return batchId
    }
    try {
      await connection.send(open, bytes)
    } catch (error) {
      if (error instanceof ConnectionLost) this.#lost = { open, batchId }
      throw error
    }
    return batchId
  }

  /** Finds out whether the batch whose answer was lost is committed; undefined when there is no knowing in time. */
  async #clearUp(untilMs: number): Promise<boolean | undefined> {
    const lost = this.#lost
    if (lost === undefined) return false
    while (performance.now() < untilMs) {
      const open = await this.#options.connection.get(untilMs)
      if (open === undefined) break
      try {
        const isStored = await isBatchStored(open.client, lost.open.backend, lost.batchId)
        if (isStored !== undefined) {
          this.#lost = undefined
          return isStored
        }
      } catch {
        // The new connection went too. Another one follows.
        this.#options.connection.drop(open)
      }
      await sleep(50)
    }
    this.#lost = undefined
    return undefined
  }
}
