// Stores one batch at a time on its own connection, and finds out for certain whether it was committed.
import { setTimeout as sleep } from 'node:timers/promises'
import { sqlState } from '../platform/db.ts'
import { passTrafficGateSql } from '../platform/locks/traffic-gate.ts'
import { timedOut, within } from '../platform/work/within.ts'
import type { BatchEncoder, OpenCycle } from './batch-encoder.ts'
import type { BatchIds } from './batch-ids.ts'
import { ConnectionLost } from './in-flight.ts'
import { outdatedState } from './statements.ts'
import { isBatchStored } from './store.ts'
import type { MessageQueue } from './message-queue.ts'
import type { WeekPartitions } from './week-partitions.ts'
import type { OpenConnection, WriterConnection } from './writer-connection.ts'

/**
 * The result of a batch. `stored`: committed; the encoder's lists say which messages have a row. `bad`: rolled back,
 * because the database refuses something in it. `unavailable`: not stored. `uncertain`: the connection broke during the
 * commit, and it is not known yet whether the batch is stored; the encoder's lists are valid as for `stored`.
 */
export type BatchResult =
  | { readonly kind: 'stored'; readonly batchId: number }
  | { readonly kind: 'bad'; readonly error: Error }
  | { readonly kind: 'unavailable'; readonly error: Error | undefined }
  | { readonly kind: 'uncertain'; readonly batchId: number; readonly isStored: Promise<boolean | undefined> }

export interface BatchWriterOptions {
  readonly connection: WriterConnection
  readonly encoder: BatchEncoder
  readonly ids: BatchIds
  readonly weeks: WeekPartitions
  readonly cycle: () => OpenCycle
  /** Refreshes the catalog, the rates and the open cycle. */
  readonly refresh: () => Promise<void>
  /** The commit's share of the batch's round trip, from 0 to 1. */
  readonly onCommitTimed: (commitShare: number) => void
}

// How long a lost batch is looked up before its messages are answered: "no" to a stored message makes the peer send it
// again. A restart of the database server takes less; some peers stop waiting after 10 s.
const lookUpMaxMs = 5_000
// A query about a lost batch that takes longer runs on a connection that is lost as well.
const queryMaxMs = 5_000
// Data exceptions, broken constraints and errors of our own triggers: the same rows would always fail again.
const badClasses = new Set(['22', '23', 'P0'])

// One commit in so many is timed, since timing costs one more packet.
const timedEvery = 8

export class BatchWriter {
  readonly #options: BatchWriterOptions
  #batchCount = 0
  /** A batch whose connection broke; the server may still be running it. */
  #lost: LostBatch | undefined
  /** For a batch answered as `uncertain`: resolves once it is known whether it is stored. */
  #uncertain: Promise<boolean | undefined> | undefined

  constructor(options: BatchWriterOptions) {
    this.#options = options
  }

  get encoder(): BatchEncoder {
    return this.#options.encoder
  }

  /** Stores the batch; gives up at `untilMs` (performance.now()) if the database is away or too slow. */
  async write(batch: MessageQueue, untilMs: number): Promise<BatchResult> {
    let error: Error | undefined
    // A repeated message must not be stored before it is known whether the lost batch has it.
    if (
      this.#uncertain !== undefined &&
      (await within(this.#uncertain, untilMs - performance.now())) === timedOut
    )
      return { kind: 'unavailable', error }
    for (let isOutdated = false; ;) {
      const open = await this.#options.connection.get(untilMs)
      if (open === undefined) return { kind: 'unavailable', error }
      try {
        const batchId = await (isOutdated
          ? this.#writeBehindGate(open, batch)
          : this.#writeAtOnce(open, batch))
        return { kind: 'stored', batchId }
      } catch (cause) {
        error = cause instanceof Error ? cause : new Error(String(cause))
      }
      if (this.#lost !== undefined) {
        const result = await this.#resolve(this.#lost)
        if (result !== undefined) return result
      }
      const state = sqlState(error) ?? ''
      if (badClasses.has(state.slice(0, 2))) return { kind: 'bad', error }
      isOutdated = state === outdatedState
      if (performance.now() >= untilMs) return { kind: 'unavailable', error }
      if (!isOutdated) await sleep(20)
    }
  }

  /** The usual case: priced beforehand, one round trip. The gate rolls the batch back if its prices are out of date. */
  async #writeAtOnce(open: OpenConnection, batch: MessageQueue): Promise<number> {
    return this.#write(open, batch, 'gated')
  }

  /** Enters the gate first, so that prices cannot change any more, and prices the batch again. */
  async #writeBehindGate(open: OpenConnection, batch: MessageQueue): Promise<number> {
    try {
      await open.client.query('begin')
      await open.client.query(passTrafficGateSql)
      await this.#options.refresh()
      return await this.#write(open, batch, 'begun')
    } catch (error) {
      await open.client.query('rollback').catch(() => this.#options.connection.drop(open))
      throw error
    }
  }

  async #write(open: OpenConnection, batch: MessageQueue, mode: 'gated' | 'begun'): Promise<number> {
    const { connection, encoder, ids, weeks, cycle, onCommitTimed } = this.#options
    const preparation = weeks.prepare(batch.messages)
    if (preparation !== undefined) await preparation
    const batchId = ids.tryTake() ?? (await ids.take())
    const { messages, extraFlags } = batch
    const isTimed = mode === 'gated' && this.#batchCount % timedEvery === 0
    this.#batchCount += 1
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

  /** Looks up a lost batch for a limited time; undefined when it was rolled back and may be sent again. */
  async #resolve(lost: LostBatch): Promise<BatchResult | undefined> {
    this.#lost = undefined
    const { batchId } = lost
    const isStored = this.#lookUp(lost)
    const known = await within(isStored, lookUpMaxMs)
    if (known === true) return { kind: 'stored', batchId }
    if (known === false) return undefined
    this.#uncertain = isStored.finally(() => (this.#uncertain = undefined))
    return { kind: 'uncertain', batchId, isStored }
  }

  /** Queries until the database says whether the batch is committed; undefined when the writer is closed before. */
  async #lookUp({ open: { backend }, batchId }: LostBatch): Promise<boolean | undefined> {
    const { connection } = this.#options
    const backends = [backend]
    while (!connection.isClosed) {
      const open = await connection.get(performance.now() + 1_000)
      if (open !== undefined) {
        // A failed query means that the new connection is lost too; another one is opened.
        const isStoredQuery = isBatchStored(open.client, backends, batchId).catch(() => timedOut)
        const isStored = await within(isStoredQuery, queryMaxMs)
        if (typeof isStored === 'boolean') return isStored
        if (isStored === timedOut) {
          connection.drop(open)
          // This backend may wait for a standby, so it has to be ended as well.
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
