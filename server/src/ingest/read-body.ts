// Decrypts stored messages, and reads what their peers call them.
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { encryptionContextOf, readBodiesAt, readBodyAt, type RawMessage } from './body-layout.ts'
import { readPeerIdsAt, type PeerIds } from './peer-ids.ts'
import { findEncryptedBatches, findEncryptedBodies, findPeerIds } from './store.ts'

/**
 * The message of a record as it was on the wire; undefined when it was not kept, has expired, or there is no such record.
 * Throws when the bytes were altered or encrypted with another key.
 */
export async function readBody(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  recordId: bigint,
): Promise<RawMessage | undefined> {
  const perBatch = BigInt(recordsPerBatchId)
  const batchId = recordId / perBatch
  const encrypted = await findEncryptedBodies(db, batchId)
  if (encrypted === undefined || encrypted === null) return undefined
  return readBodyAt(secrets.decrypt(encrypted, encryptionContextOf(batchId)), Number(recordId % perBatch))
}

/**
 * As {@link readBody} for many records, by record id; each batch is decrypted once. Messages that are not kept are left
 * out. With `onFault`, a batch that cannot be decrypted is reported there and left out, too.
 */
export async function readBodies(
  db: Db,
  secrets: Pick<Secrets, 'decrypt'>,
  recordIds: readonly number[],
  onFault?: (error: unknown) => void,
): Promise<Map<number, RawMessage>> {
  const requestedByBatch = indexesByBatch(recordIds)
  const found = new Map<number, RawMessage>()
  for (const { id: batchId, encryptedBodies } of await findEncryptedBatches(db, [
    ...requestedByBatch.keys(),
  ])) {
    try {
      const bodies = secrets.decrypt(encryptedBodies, encryptionContextOf(BigInt(batchId)))
      for (const [index, raw] of readBodiesAt(bodies, requestedByBatch.get(batchId) ?? new Set()))
        found.set(batchId * recordsPerBatchId + index, raw)
    } catch (error) {
      if (onFault === undefined) throw error
      onFault(error)
    }
  }
  return found
}

/** What peers call these messages, by record id. It stays when the text is deleted (decision 80). */
export async function readPeerIds(db: Db, recordIds: readonly number[]): Promise<Map<number, PeerIds>> {
  const requestedByBatch = indexesByBatch(recordIds)
  const found = new Map<number, PeerIds>()
  if (recordIds.length === 0) return found
  for (const { id: batchId, peerIds } of await findPeerIds(db, [...requestedByBatch.keys()])) {
    const indexes = requestedByBatch.get(batchId) ?? new Set()
    for (const [index, ids] of readPeerIdsAt(peerIds, indexes))
      found.set(batchId * recordsPerBatchId + index, ids)
  }
  return found
}

function indexesByBatch(recordIds: readonly number[]): Map<number, Set<number>> {
  const found = new Map<number, Set<number>>()
  for (const recordId of recordIds) {
    const batchId = Math.floor(recordId / recordsPerBatchId)
    const indexes = found.get(batchId) ?? new Set()
    found.set(batchId, indexes.add(recordId % recordsPerBatchId))
  }
  return found
}
