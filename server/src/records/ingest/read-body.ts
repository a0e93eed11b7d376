// Opens one record's message as it came.
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { placeOfBodies, readBodyAt, type RawMessage } from './body-layout.ts'
import { findSealedBatches, findSealedBodies } from './store.ts'

/** The messages of several records by their ids, a batch opened once for all of its own; what is not kept is left out. */
export async function readBodies(
  db: Db,
  secrets: Pick<Secrets, 'open'>,
  recordIds: readonly number[],
): Promise<Map<number, RawMessage>> {
  const perBatch = recordsPerBatchId
  const batchIds = [...new Set(recordIds.map((id) => Math.floor(id / perBatch)))]
  const sealed = await findSealedBatches(db, batchIds)
  const opened = new Map(
    sealed.map(({ id, sealedBodies }) => [id, secrets.open(sealedBodies, placeOfBodies(BigInt(id)))]),
  )
  const found = new Map<number, RawMessage>()
  for (const recordId of recordIds) {
    const bodies = opened.get(Math.floor(recordId / perBatch))
    const message = bodies === undefined ? undefined : readBodyAt(bodies, recordId % perBatch)
    if (message !== undefined) found.set(recordId, message)
  }
  return found
}

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
