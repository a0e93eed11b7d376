// Sends a test event on a person's order, so that they see whether their address is reached.
import type { EndpointTest } from '@tollgate/contract/endpoints/endpoints.ts'
import type { Caller } from '../http/handlers.ts'
import type { Db } from '../platform/db.ts'
import { countTest } from '../platform/load/rate-uses.ts'
import { transaction } from '../platform/transaction.ts'
import { insertTest, takeDeliveryId } from './delivery-store.ts'
import { insertEvents } from './event-store.ts'
import { openSecrets } from './open-secret.ts'
import { send } from './send.ts'
import { recordAudit, unknownEndpoint, type ServiceParts } from './service.ts'
import { testContent } from './show-delivery.ts'
import { failRecords, healthEvent, switchOffGone } from './store-results.ts'
import {
  addRequests,
  findEndpoint,
  lockEndpoint,
  setVerified,
  type EndpointRef,
  type EndpointRow,
} from './store.ts'
import { webhookIdOf } from './views.ts'

/**
 * The endpoint. Its test is counted before it is sent, so that tests at once count too: for all endpoints of a client
 * together, because several may have one address, and a deleted one can be made again. Throws Refusal too_many.
 */
async function beginTest(tx: Db, ref: EndpointRef): Promise<EndpointRow> {
  const endpoint = await findEndpoint(tx, ref)
  if (endpoint === undefined) throw unknownEndpoint()
  await countTest(tx, 'endpoint test', endpoint.userId ?? 'staff')
  return endpoint
}

/** Sends a test event now. It is counted and listed like any delivery, but is not repeated. */
export async function testEndpoint(
  parts: ServiceParts,
  ref: EndpointRef,
  caller: Caller,
): Promise<EndpointTest> {
  const { db, egress, secrets } = parts
  const { id } = ref
  const endpoint = await transaction(db, (tx) => beginTest(tx, ref))
  const deliveryId = await takeDeliveryId(db)
  const outcome = await send(egress, endpoint, openSecrets(secrets, endpoint), {
    id: webhookIdOf(deliveryId),
    event: { type: 'endpoint.test', at: new Date(), ...testContent(endpoint) },
  })
  const { isDelivered, responseStatus, error, durationMs } = outcome
  await transaction(db, async (tx) => {
    // It may have been deleted while it was tested.
    if ((await lockEndpoint(tx, ref)) === undefined) return
    const changes = await addRequests(tx, [
      { endpointId: id, requestCount: 1, successCount: isDelivered ? 1 : 0 },
    ])
    const events = changes.map((change) => healthEvent(change, [{ endpointId: id, error }]))
    // 410 means the same as for a delivery: the endpoint is switched off.
    const off = outcome.isGone ? await switchOffGone(tx, id) : { events: [], records: [] }
    await insertEvents(tx, [...events, ...off.events])
    await failRecords(tx, off.records)
    await insertTest(tx, id, { ...outcome, id: deliveryId })
    if (isDelivered) await setVerified(tx, id, endpoint.url)
    await recordAudit(parts, tx, caller, {
      action: 'endpoint.test',
      id,
      after: { name: endpoint.name, success: isDelivered },
    })
  })
  return {
    success: isDelivered,
    ...(isDelivered ? {} : { error }),
    ...(responseStatus === null ? {} : { responseStatus }),
    durationMs,
  }
}
