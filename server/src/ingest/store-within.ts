// Stores messages inside the caller's transaction, which also saves what the caller has read of a provider.
import { Refusal } from '@tollgate/contract/errors.ts'
import pg from 'pg'
import { driverOf, type Db } from '../platform/db.ts'
import { afterCommit } from '../platform/transaction.ts'
import { messageIdOf } from './message-id.ts'
import { recordsPerBatchId, type BatchEncoder } from './batch-encoder.ts'
import type { BatchIds } from './batch-ids.ts'
import type { CatalogRefresher } from './catalog-refresher.ts'
import { sendBatch } from './in-flight.ts'
import type { IngestMessage, RefusalReason } from './message.ts'
import { countStored } from './metrics.ts'
import { MessageQueue } from './message-queue.ts'
import { passTrafficGate } from '../platform/locks/traffic-gate.ts'
import type { Tracing } from '../platform/tracing/tracing.ts'
import { traceBatch } from './trace-batches.ts'
import type { WeekPartitions } from './week-partitions.ts'

/** The record of a message, or why it has none. */
export type StoredMessage =
  | { readonly messageId: string; readonly recordId: number }
  | { readonly refused: RefusalReason }

export interface StoreWithinOptions {
  readonly weeks: WeekPartitions
  /** Of this call alone: what it has stored is read after the commit. */
  readonly encoder: BatchEncoder
  readonly follower: CatalogRefresher
  readonly ids: BatchIds
  /** False: nothing more may be written to the disk of the database. */
  readonly hasRoom: () => boolean
  readonly tracing: Pick<Tracing, 'begin'> | undefined
}

/** See Ingest.storeWithin. */
export async function storeWithin(
  tx: Db,
  messages: readonly IngestMessage[],
  { weeks, encoder, follower, ids, hasRoom, tracing }: StoreWithinOptions,
): Promise<StoredMessage[]> {
  if (!hasRoom()) throw new Refusal('unavailable', 'The disk of the database is full. Nothing was stored.')
  const driver = driverOf(tx)
  if (driver instanceof pg.Pool) throw new Error('storeWithin needs a transaction')
  if (messages.length >= recordsPerBatchId)
    throw new Error(`At most ${recordsPerBatchId - 1} messages at once`)
  const takenAtMs = performance.now()
  // On another connection: this transaction would otherwise keep the tables' locks while it waits for the gate.
  await weeks.prepare(messages)
  const batchId = await ids.take()
  await passTrafficGate(tx)
  await follower.refreshWithin(tx)
  const extraFlags: number[] = []
  const bytes = encoder.encode({ messages, extraFlags, batchId, cycle: follower.cycle, mode: 'inside' })
  if (bytes !== undefined) await sendBatch(driver, bytes)
  const counts = encoder.counts.slice()
  afterCommit(tx, () => {
    countStored(counts)
    if (tracing === undefined) return
    const batch = new MessageQueue()
    for (const message of messages) batch.push(message, takenAtMs, 0)
    const committedAtMs = performance.now()
    const result = { kind: 'stored', batchId } as const
    traceBatch(tracing, {
      batch,
      result,
      stored: encoder.stored,
      takenAtMs,
      committedAtMs,
      answeredAtMs: committedAtMs,
    })
  })
  const refused = new Map(encoder.refused.map((message, index) => [message, encoder.refusedWhy[index]]))
  let recordId = batchId * recordsPerBatchId
  return messages.map((message) => {
    const reason = refused.get(message)
    if (reason !== undefined) return { refused: reason }
    const stored = { messageId: messageIdOf({ createdAtMs: message.createdAtMs, recordId }), recordId }
    recordId += 1
    return stored
  })
}
