// Opens one record's message as it came.
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/security/secrets.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { placeOfBodies, readBodiesAt, readBodyAt, type RawMessage } from './body-layout.ts'
import { findSealedBatches, findSealedBodies } from './store.ts'

/**
 * The message of a record; undefined when it was not kept, has expired, or there is no such record. Throws when the
 * bytes were altered or the key is not this node's.
 */
export async function readBody(
  db: Db,
  secrets: Pick<Secrets, 'open'>,
  recordId: bigint,
): Promise<RawMessage | undefined> {
  const perBatch = BigInt(recordsPerBatchId)
  const batchId = recordId / perBatch
  const sealed = await findSealedBodies(db, batchId)
  if (sealed === undefined || sealed === null) return undefined
  return readBodyAt(secrets.open(sealed, placeOfBodies(batchId)), Number(recordId % perBatch))
}

/**
 * As {@link readBody} for many records, by record id; each batch is opened once. What is not kept is left out, and so is
 * a batch that does not open where somebody gives an `onFault` that hears of it.
 */
export async function readBodies(
  db: Db,
  secrets: Pick<Secrets, 'open'>,
  recordIds: readonly number[],
  onFault?: (error: unknown) => void,
): Promise<Map<number, RawMessage>> {
  const placesByBatch = new Map<number, Set<number>>()
  for (const recordId of recordIds) {
    const batchId = Math.floor(recordId / recordsPerBatchId)
    const places = placesByBatch.get(batchId) ?? new Set()
    placesByBatch.set(batchId, places.add(recordId % recordsPerBatchId))
  }
  const found = new Map<number, RawMessage>()
  for (const { id: batchId, sealedBodies } of await findSealedBatches(db, [...placesByBatch.keys()])) {
    try {
      const bodies = secrets.open(sealedBodies, placeOfBodies(BigInt(batchId)))
      for (const [place, raw] of readBodiesAt(bodies, placesByBatch.get(batchId) ?? new Set()))
        found.set(batchId * recordsPerBatchId + place, raw)
    } catch (error) {
      if (onFault === undefined) throw error
      onFault(error)
    }
  }
  return found
}
