// Deliveries on a person's order: once more, or at once instead of at their time.
import type { Delivery } from '@tollgate/contract/endpoints/deliveries.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../platform/db.ts'
import type { Caller } from '../http/handlers.ts'
import { transaction } from '../platform/transaction.ts'
import { changeRecords } from '../ingest/index.ts'
import { makeDue, replay } from './delivery-store.ts'
import { inactiveEndpoint, lockOwn, recordAudit, type ServiceParts } from './service.ts'
import { replayLimit, type EndpointRef } from './store.ts'
import { viewDelivery } from './views.ts'

const replayMax = 10_000

/** Sets finished deliveries pending again, under their own ids; returns how many. */
async function replayDeliveries(
  parts: ServiceParts,
  tx: Db,
  { ref, deliveryId }: { readonly ref: EndpointRef; readonly deliveryId?: string },
  caller: Caller,
): Promise<number> {
  const { id } = ref
  const endpoint = await lockOwn(tx, ref)
  if (endpoint.status === 'inactive') throw inactiveEndpoint()
  const { count, records } = await replay(tx, id, deliveryId, replayMax)
  await changeRecords(tx, records, { status: 'in_progress', clientReport: 'pending', from: ['failed'] })
  if (count > 0)
    await recordAudit(parts, tx, caller, {
      action: 'endpoint.replay',
      id,
      after: { name: endpoint.name, count, ...(deliveryId === undefined ? {} : { deliveryId }) },
    })
  return count
}

/** Delivers again what failed. Throws Refusal too_many soon after a large replay. */
export async function replayFailed(
  parts: ServiceParts,
  ref: EndpointRef,
  caller: Caller,
): Promise<{ count: number }> {
  return transaction(parts.db, async (tx) => {
    await lockOwn(tx, ref)
    await replayLimit.begin(tx, ref.id)
    const count = await replayDeliveries(parts, tx, { ref }, caller)
    await replayLimit.end(tx, ref.id, count)
    return { count }
  })
}

export async function replayDelivery(
  parts: ServiceParts,
  ref: EndpointRef,
  deliveryId: string,
  caller: Caller,
): Promise<Delivery> {
  return transaction(parts.db, async (tx) => {
    const count = await replayDeliveries(parts, tx, { ref, deliveryId }, caller)
    const found = await requireDelivery(tx, ref, deliveryId)
    if (count === 0)
      throw new Refusal(
        'wrong_state',
        found.status === 'pending'
          ? 'This delivery is waiting for its next try.'
          : 'A test is not delivered again.',
      )
    return found
  })
}

/** Makes the next attempt of a waiting delivery now. Throws Refusal wrong_state for one that does not wait. */
export async function sendNow(
  parts: ServiceParts,
  ref: EndpointRef,
  deliveryId: string,
  caller: Caller,
): Promise<Delivery> {
  return transaction(parts.db, async (tx) => {
    const endpoint = await lockOwn(tx, ref)
    if (endpoint.status !== 'active')
      throw new Refusal('wrong_state', 'This endpoint is paused or inactive. Resume it first.')
    const isDue = await makeDue(tx, ref.id, deliveryId)
    const found = await requireDelivery(tx, ref, deliveryId)
    if (!isDue) throw new Refusal('wrong_state', 'This delivery does not wait any more. Reload the list.')
    await recordAudit(parts, tx, caller, {
      action: 'endpoint.send_now',
      id: ref.id,
      after: { name: endpoint.name, deliveryId },
    })
    return found
  })
}

async function requireDelivery(db: Db, { id }: EndpointRef, deliveryId: string): Promise<Delivery> {
  const found = await viewDelivery(db, id, deliveryId)
  if (found === undefined) throw new Refusal('not_found', 'There is no such delivery.')
  return found
}
