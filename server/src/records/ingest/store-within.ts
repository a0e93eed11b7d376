// Stores messages inside somebody else's transaction: one that also remembers which rows of a provider it has seen.
import pg from 'pg'
import { driverOf, type Db } from '../../platform/db.ts'
import { afterCommit } from '../../platform/transaction.ts'
import { messageIdOf } from '../message-id.ts'
import { recordsPerBatchId, type BatchEncoder } from './batch-encoder.ts'
import type { BatchIds } from './batch-ids.ts'
import type { CatalogFollower } from './catalog-follower.ts'
import { fly } from './flight.ts'
import type { IngestMessage, RefusalReason } from './message.ts'
import { countStored } from './metrics.ts'
import { holdTrafficGate } from './store.ts'
import type { Weeks } from './weeks.ts'

/** A message's record, or why it has none. */
export type StoredMessage =
  { readonly messageId: string; readonly recordId: number } | { readonly refused: RefusalReason }

export interface StoreWithinOptions {
  readonly weeks: Weeks
  readonly encoder: BatchEncoder
  readonly follower: CatalogFollower
  readonly ids: BatchIds
}

/** See Ingest.storeWithin. */
export async function storeWithin(
  tx: Db,
  messages: readonly IngestMessage[],
  { weeks, encoder, follower, ids }: StoreWithinOptions,
): Promise<StoredMessage[]> {
  const driver = driverOf(tx)
  if (driver instanceof pg.Pool) throw new Error('storeWithin needs a transaction')
  if (messages.length >= recordsPerBatchId)
    throw new Error(`At most ${recordsPerBatchId - 1} messages at once`)
  // Outside the transaction: it would otherwise hold the tables' locks while it waits for the gate.
  await weeks.prepare(messages)
  const batchId = await ids.take()
  await holdTrafficGate(tx)
  await follower.refreshWithin(tx)
  const extraFlags: number[] = []
  const bytes = encoder.encode({ messages, extraFlags, batchId, cycle: follower.cycle, mode: 'inside' })
  if (bytes !== undefined) await fly(driver, bytes)
  const counts = encoder.counts.slice()
  afterCommit(tx, () => countStored(counts))
  const refused = new Map(encoder.refused.map((message, place) => [message, encoder.refusedWhy[place]]))
  let recordId = batchId * recordsPerBatchId
  return messages.map((message) => {
    const reason = refused.get(message)
    if (reason !== undefined) return { refused: reason }
    const stored = { messageId: messageIdOf({ createdAtMs: message.createdAtMs, recordId }), recordId }
    recordId += 1
    return stored
  })
}
