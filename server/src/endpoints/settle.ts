// Writes down what tries came to, and what that makes of the records.
import type { Db } from '../platform/db.ts'
import { changeRecords, type RecordKey } from '../records/index.ts'
import { failWaiting, saveAttempts, withoutHope, type Attempt } from './delivery-store.ts'
import { insertEvents, type EndpointEvent } from './event-store.ts'
import { addRequests, switchOff, type Turn } from './store.ts'

export interface Result extends Attempt {
  readonly isGone: boolean
  /** The record and its client's claim to it; undefined when nobody held the number. */
  readonly record: RecordKey | undefined
}

const goneReason = 'The address answered 410: it takes nothing any more.'

/** Everything in the caller's transaction. A record is reported as soon as one address took it. */
export async function settle(tx: Db, results: readonly Result[]): Promise<void> {
  const endpointIds = [...new Set(results.map(({ endpointId }) => endpointId))].toSorted((a, b) => a - b)
  const turns = await addRequests(
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
  const events = turns.map((turn) => eventOf(turn, results))
  await saveAttempts(tx, results)
  const keysOf = (wanted: (result: Result) => boolean) =>
    distinct(results.filter(wanted).flatMap(({ record }) => record ?? []))
  const given = keysOf(({ isDelivered, nextAttemptAt }) => !isDelivered && nextAttemptAt === null)
  for (const endpointId of endpointIds)
    if (results.some((result) => result.endpointId === endpointId && result.isGone)) {
      const off = await switchOffGone(tx, endpointId)
      events.push(...off.events)
      given.push(...off.given)
    }
  await insertEvents(tx, events)
  await changeRecords(
    tx,
    keysOf(({ isDelivered }) => isDelivered),
    { status: 'reported', clientReport: 'reported', from: ['pending', 'in_progress', 'completed', 'failed'] },
  )
  await failRecords(tx, given)
}

/** The address said that it takes nothing any more (410): what waits for it is given up. */
export async function switchOffGone(
  tx: Db,
  endpointId: number,
): Promise<{ readonly events: EndpointEvent[]; readonly given: RecordKey[] }> {
  const name = await switchOff(tx, endpointId, goneReason)
  return {
    events: name === undefined ? [] : [{ endpointId, name, event: 'switched_off', detail: goneReason }],
    given: await failWaiting(tx, endpointId, goneReason),
  }
}

/** What a turn is called in the activity log; why it fails is what the last request came to. */
export function eventOf(
  { endpointId, name, isFailing }: Turn,
  results: readonly Pick<Result, 'endpointId' | 'error'>[],
): EndpointEvent {
  const last = results.findLast((result) => result.endpointId === endpointId)
  return isFailing
    ? { endpointId, name, event: 'failing', detail: last?.error ?? '' }
    : { endpointId, name, event: 'recovered', detail: '' }
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
