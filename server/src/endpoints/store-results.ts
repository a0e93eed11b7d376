// Stores the results of attempts, and what they change in the records and in the endpoint's health.
import type { Db } from '../platform/db.ts'
import { changeRecords, type RecordKey } from '../ingest/index.ts'
import { failPending, saveAttempts, undeliverable, type DeliveryAttempt } from './delivery-store.ts'
import { insertEvents, type EndpointEvent } from './event-store.ts'
import { addRequests, switchOff, type HealthChange } from './store.ts'

export interface EndpointDeliveryResult extends DeliveryAttempt {
  readonly isGone: boolean
  /** The record whose state follows the result; undefined when the number had no client. */
  readonly record: RecordKey | undefined
}

const goneReason = 'The address answered 410: it takes nothing any more.'

/** Works in the caller's transaction. A record becomes `reported` as soon as one endpoint took it. */
export async function storeResults(tx: Db, results: readonly EndpointDeliveryResult[]): Promise<void> {
  const endpointIds = [...new Set(results.map(({ endpointId }) => endpointId))].toSorted((a, b) => a - b)
  const changes = await addRequests(
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
  const events = changes.map((change) => healthEvent(change, results))
  await saveAttempts(tx, results)
  const recordsWhere = (matches: (result: EndpointDeliveryResult) => boolean) =>
    distinct(results.filter(matches).flatMap(({ record }) => record ?? []))
  const givenUp = recordsWhere(({ isDelivered, nextAttemptAt }) => !isDelivered && nextAttemptAt === null)
  for (const endpointId of endpointIds)
    if (results.some((result) => result.endpointId === endpointId && result.isGone)) {
      const off = await switchOffGone(tx, endpointId)
      events.push(...off.events)
      givenUp.push(...off.records)
    }
  await insertEvents(tx, events)
  await changeRecords(
    tx,
    recordsWhere(({ isDelivered }) => isDelivered),
    { status: 'reported', clientReport: 'reported', from: ['pending', 'in_progress', 'completed', 'failed'] },
  )
  await failRecords(tx, givenUp)
}

/** The endpoint answered 410: it is switched off and its pending deliveries are given up. */
export async function switchOffGone(
  tx: Db,
  endpointId: number,
): Promise<{ readonly events: EndpointEvent[]; readonly records: RecordKey[] }> {
  const name = await switchOff(tx, endpointId, goneReason)
  return {
    events: name === undefined ? [] : [{ endpointId, name, event: 'switched_off', detail: goneReason }],
    records: await failPending(tx, endpointId, goneReason),
  }
}

/** A health change for the activity log. The reason of a failure is the error of the last request. */
export function healthEvent(
  { endpointId, name, isFailing }: HealthChange,
  results: readonly Pick<EndpointDeliveryResult, 'endpointId' | 'error'>[],
): EndpointEvent {
  const last = results.findLast((result) => result.endpointId === endpointId)
  return isFailing
    ? { endpointId, name, event: 'failing', detail: last?.error ?? '' }
    : { endpointId, name, event: 'recovered', detail: '' }
}

/** Marks those of these records as failed that no endpoint took and that have no pending delivery. */
export async function failRecords(tx: Db, keys: readonly RecordKey[]): Promise<void> {
  const failed = await undeliverable(tx, distinct(keys))
  await changeRecords(tx, failed, {
    status: 'failed',
    clientReport: 'failed',
    from: ['pending', 'in_progress'],
  })
}

function distinct(keys: readonly RecordKey[]): RecordKey[] {
  return [...new Map(keys.map((key) => [key.recordId, key])).values()]
}
