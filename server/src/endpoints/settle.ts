// Writes down what tries came to, and what that makes of the records.
import type { Db } from '../platform/db.ts'
import { changeRecords, type RecordKey } from '../records/index.ts'
import { failWaiting, saveAttempts, withoutHope, type Attempt } from './delivery-store.ts'
import { addRequests, switchOff } from './store.ts'

export interface Result extends Attempt {
  readonly isGone: boolean
  /** The record and its client's claim to it; undefined when nobody held the number. */
  readonly record: RecordKey | undefined
}

const goneReason = 'The address answered 410: it takes nothing any more.'

/** Everything in the caller's transaction. A record is reported as soon as one address took it. */
export async function settle(tx: Db, results: readonly Result[]): Promise<void> {
  const endpointIds = [...new Set(results.map(({ endpointId }) => endpointId))].toSorted((a, b) => a - b)
  await addRequests(
    tx,
    endpointIds.map((endpointId) => {
      const own = results.filter((result) => result.endpointId === endpointId)
      return {
        endpointId,
        requestCount: own.length,
        successCount: own.filter(({ isDelivered }) => isDelivered).length,
      }
    }),
  )
  await saveAttempts(tx, results)
  const keysOf = (wanted: (result: Result) => boolean) =>
    distinct(results.filter(wanted).flatMap(({ record }) => record ?? []))
  const given = keysOf(({ isDelivered, nextAttemptAt }) => !isDelivered && nextAttemptAt === null)
  for (const endpointId of endpointIds)
    if (results.some((result) => result.endpointId === endpointId && result.isGone)) {
      await switchOff(tx, endpointId, goneReason)
      given.push(...(await failWaiting(tx, endpointId, goneReason)))
    }
  await changeRecords(
    tx,
    keysOf(({ isDelivered }) => isDelivered),
    { status: 'reported', clientReport: 'reported', from: ['pending', 'in_progress', 'completed', 'failed'] },
  )
  await failRecords(tx, given)
}

/** Marks records that no address took, and none will be tried for any more. */
export async function failRecords(tx: Db, keys: readonly RecordKey[]): Promise<void> {
  const lost = await withoutHope(tx, distinct(keys))
  await changeRecords(tx, lost, {
    status: 'failed',
    clientReport: 'failed',
    from: ['pending', 'in_progress'],
  })
}

function distinct(keys: readonly RecordKey[]): RecordKey[] {
  return [...new Map(keys.map((key) => [key.recordId, key])).values()]
}
