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
 * the database refuses something in it. `unavailable`: not stored. `doubtful`: the connection broke around the commit, and
 * what came of it is not known yet; the encoder's lists hold as for `stored`.
 */
export type Outcome =
  | { readonly kind: 'stored'; readonly batchId: number }
  | { readonly kind: 'bad'; readonly error: Error }
  | { readonly kind: 'unavailable'; readonly error: Error | undefined }
  | { readonly kind: 'doubtful'; readonly batchId: number; readonly isStored: Promise<boolean | undefined> }

export interface BatchWriterOptions {
  readonly connection: WriterConnection
  readonly encoder: BatchEncoder
  readonly ids: BatchIds
  readonly weeks: Weeks
  readonly cycle: () => OpenCycle
  /** Brings catalog, rates and the open cycle up to date. */
  readonly refresh: () => Promise<void>
  /** A commit took this part of its flight, from 0 to 1. */
  readonly onCommitTimed: (commitShare: number) => void
}

// The truth about a lost batch is worth waiting for: "no" to a message that is stored brings it again. A restart of the
// server takes less; a peer's patience may end at 10 s.
const doubtMaxMs = 5_000
// A question about a lost batch that takes longer goes over a connection that is lost as well.
const questionMaxMs = 5_000
const isOpen: unique symbol = Symbol('not settled in time')
// Data exceptions, broken constraints and what our own triggers raise: the same rows would fail for ever.
const badClasses = new Set(['22', '23', 'P0'])

// One commit in so many is timed: it costs one more packet.
const timedEvery = 8

export class BatchWriter {
  readonly #options: BatchWriterOptions
  #flightCount = 0
  /** The connection that a lost batch may still be running on. */
  #lost: LostBatch | undefined
  /** Of a batch that was given up: resolves once it is known what became of it. */
  #doubt: Promise<boolean | undefined> | undefined

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  get encoder(): BatchEncoder {
    return this.#options.encoder
  }

  /** Stores the batch; gives up at `untilMs` (performance.now()) if the database is not there or too slow. */
  async write(batch: Waiting, untilMs: number): Promise<Outcome> {
    let error: Error | undefined
    // First things first: what comes again must meet a database that knows what it has.
    if (this.#doubt !== undefined && (await within(this.#doubt, untilMs - performance.now())) === isOpen)
      return { kind: 'unavailable', error }
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
      if (this.#lost !== undefined) {
        const outcome = await this.#settle(this.#lost)
        if (outcome !== undefined) return outcome
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
    const { connection, encoder, ids, weeks, cycle, onCommitTimed } = this.#options
    const preparation = weeks.prepare(batch.messages)
    if (preparation !== undefined) await preparation
    const batchId = ids.tryTake() ?? (await ids.take())
    const { messages, extraFlags } = batch
    const isTimed = mode === 'gated' && this.#flightCount % timedEvery === 0
    this.#flightCount += 1
    const bytes = encoder.encode({ messages, extraFlags, batchId, cycle: cycle(), mode, isTimed })
    if (bytes === undefined) {
      if (mode === 'begun') await open.client.query('commit')
      return batchId
    }
    try {
      const { wholeMs, endMs } = await connection.send(open, bytes)
      if (isTimed) onCommitTimed(endMs / wholeMs)
    } catch (error) {
      if (error instanceof ConnectionLost) this.#lost = { open, batchId }
      throw error
    }
    return batchId
  }

  /** What became of a lost batch, as far as it is known in time; undefined when it was undone and may be sent again. */
  async #settle(lost: LostBatch): Promise<Outcome | undefined> {
    this.#lost = undefined
    const { batchId } = lost
    const isStored = this.#clearUp(lost)
    const known = await within(isStored, doubtMaxMs)
    if (known === true) return { kind: 'stored', batchId }
    if (known === false) return undefined
    this.#doubt = isStored.finally(() => (this.#doubt = undefined))
    return { kind: 'doubtful', batchId, isStored }
  }

  /** Asks until the database says whether the batch is committed; undefined when the connection is closed before. */
  async #clearUp({ open: { backend }, batchId }: LostBatch): Promise<boolean | undefined> {
    const { connection } = this.#options
    const backends = [backend]
    while (!connection.isClosed) {
      const open = await connection.get(performance.now() + 1_000)
      if (open !== undefined) {
        // A failed question means that the new connection went too. Another one follows.
        const question = isBatchStored(open.client, backends, batchId).catch(() => isOpen)
        const isStored = await within(question, questionMaxMs)
        if (typeof isStored === 'boolean') return isStored
        if (isStored === isOpen) {
          connection.drop(open)
          // One that waits for a standby would wait on.
          backends.push(open.backend)
        }
      }
      await sleep(50)
    }
    return undefined
  }
}

interface LostBatch {
  readonly open: OpenConnection
  readonly batchId: number
}

async function within<T>(settling: Promise<T>, patienceMs: number): Promise<T | typeof isOpen> {
  const patience = new AbortController()
  const giveUp = (): typeof isOpen => isOpen
  const late = sleep(Math.max(0, patienceMs), undefined, { signal: patience.signal }).then(giveUp, giveUp)
  const first = await Promise.race([settling, late])
  patience.abort()
  return first
}
