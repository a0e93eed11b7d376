// Opens one record's message as it came.
import type { Db } from '../../platform/db.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { recordsPerBatchId } from './batch-encoder.ts'
import { placeOfBodies, readBodyAt, type RawMessage } from './body-layout.ts'
import { findSealedBodies } from './store.ts'

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
