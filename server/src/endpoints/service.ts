// What people do with endpoints: add, change, delete, test, replay.
import type { z } from 'zod'
import type {
  createEndpointSchema,
  Delivery,
  editEndpointSchema,
  Endpoint,
  EndpointTest,
} from '@tollgate/contract/endpoints.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sql } from 'kysely'
import type { Audit } from '../audit/index.ts'
import { row, type Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Caller } from '../platform/http/handlers.ts'
import { checkVersion } from '../platform/refusals.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { changeRecords } from '../records/index.ts'
import {
  failPending,
  insertTest,
  replay,
  takeDeliveryId,
  pendingRecords,
  undeliverable,
} from './delivery-store.ts'
import { insertEvents } from './event-store.ts'
import { openSecrets, secretContext } from './open-secret.ts'
import { send } from './send.ts'
import { healthEvent, failRecords, switchOffGone } from './settle.ts'
import { newSecret } from './signature.ts'
import {
  addRequests,
  deleteEndpoint,
  findEndpoint,
  insertEndpoint,
  lockEndpoint,
  replaceSecret,
  replayLimit,
  setSecret,
  updateEndpoint,
  type EndpointFields,
  type EndpointRow,
} from './store.ts'
import { viewDelivery, viewEndpoint, webhookIdOf } from './views.ts'

const replayMax = 10_000

export interface ServiceParts {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly egress: Pick<Egress, 'call'>
  /** Called after each commit that changes the endpoints or makes deliveries due. Must not throw. */
  readonly onChange: () => void
}

function unknownEndpoint(): Refusal {
  return new Refusal('not_found', 'There is no such endpoint.')
}

async function requireEndpoint(db: Db, id: number): Promise<Endpoint> {
  const found = await viewEndpoint(db, id)
  if (found === undefined) throw unknownEndpoint()
  return found
}

async function checkClient(db: Db, userId: number | null): Promise<void> {
  if (userId === null) return
  if ((await row(db, sql`select 1 from users where id = ${userId}`)) === undefined)
    throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Choose an existing user' } })
}

/** What the audit log shows of an endpoint. */
function auditFields({ name, url, method, rateLimit, status, userId }: EndpointFields): object {
  return { name, url, method, rateLimit, status, userId }
}

async function recordAudit(
  parts: ServiceParts,
  tx: Db,
  { actor, ip }: Caller,
  entry: { action: string; id: number; before?: object | null; after?: object | null },
): Promise<void> {
  const { action, id, before, after } = entry
  afterCommit(tx, parts.onChange)
  await parts.audit.record(tx, {
    actor,
    ip,
    action,
    objectType: 'endpoint',
    objectId: String(id),
    before,
    after,
  })
}

/** Adds an endpoint. Its secret is in this reply and is never shown again. */
export async function createEndpoint(
  parts: ServiceParts,
  { endpoint, ...input }: z.output<typeof createEndpointSchema>,
  caller: Caller,
): Promise<Endpoint> {
  const fields = { ...input, url: endpoint }
  const secret = newSecret()
  return transaction(parts.db, async (tx) => {
    await checkClient(tx, fields.userId)
    const id = await insertEndpoint(tx, fields)
    await setSecret(tx, id, parts.secrets.encrypt(secret, secretContext(id)))
    const made = await requireEndpoint(tx, id)
    await recordAudit(parts, tx, caller, { action: 'endpoint.create', id, after: auditFields(fields) })
    return { ...made, apiKey: secret }
  })
}

export async function editEndpoint(
  parts: ServiceParts,
  id: number,
  { endpoint, version, ...input }: z.output<typeof editEndpointSchema>,
  caller: Caller,
): Promise<Endpoint> {
  return transaction(parts.db, async (tx) => {
    const before = await lockEndpoint(tx, id)
    if (before === undefined) throw unknownEndpoint()
    checkVersion(version, before.version)
    const fields = merged(before, { ...input, url: endpoint })
    if (fields.userId !== before.userId) await checkClient(tx, fields.userId)
    await updateEndpoint(tx, id, fields)
    if (fields.status === 'inactive' && before.status !== 'inactive')
      await failRecords(tx, await failPending(tx, id, 'The endpoint was switched off.'))
    const after = await requireEndpoint(tx, id)
    await recordAudit(parts, tx, caller, {
      action: 'endpoint.update',
      id,
      before: auditFields(before),
      after: auditFields(fields),
    })
    return after
  })
}

type EndpointChanges = { readonly [K in keyof EndpointFields]?: EndpointFields[K] | undefined }

function merged(before: EndpointRow, changes: EndpointChanges): EndpointFields {
  return {
    userId: changes.userId === undefined ? before.userId : changes.userId,
    name: changes.name ?? before.name,
    url: changes.url ?? before.url,
    method: changes.method ?? before.method,
    rateLimit: changes.rateLimit ?? before.rateLimit,
    status: changes.status ?? before.status,
  }
}

/** Deletes an endpoint. Records that only this endpoint would have taken are completed. */
export async function removeEndpoint(parts: ServiceParts, id: number, caller: Caller): Promise<void> {
  await transaction(parts.db, async (tx) => {
    const before = await lockEndpoint(tx, id)
    if (before === undefined) throw unknownEndpoint()
    const pending = await pendingRecords(tx, id)
    await deleteEndpoint(tx, id)
    await changeRecords(tx, await undeliverable(tx, pending), {
      status: 'completed',
      from: ['pending', 'in_progress'],
    })
    await recordAudit(parts, tx, caller, { action: 'endpoint.delete', id, before: auditFields(before) })
  })
}

/** Makes a new secret, shown only in this reply. The former one signs too for 24 hours, so that a receiver can switch. */
export async function rotateSecret(parts: ServiceParts, id: number, caller: Caller): Promise<Endpoint> {
  const secret = newSecret()
  return transaction(parts.db, async (tx) => {
    const before = await lockEndpoint(tx, id)
    if (before === undefined) throw unknownEndpoint()
    await replaceSecret(tx, id, parts.secrets.encrypt(secret, secretContext(id)))
    const changed = await requireEndpoint(tx, id)
    await recordAudit(parts, tx, caller, {
      action: 'endpoint.rotate_secret',
      id,
      after: { name: before.name },
    })
    return { ...changed, apiKey: secret }
  })
}

/** Sends a test event now. It is counted and listed like any delivery, but is not repeated. */
export async function testEndpoint(parts: ServiceParts, id: number, caller: Caller): Promise<EndpointTest> {
  const { db, egress, secrets } = parts
  const endpoint = await findEndpoint(db, id)
  if (endpoint === undefined) throw unknownEndpoint()
  const deliveryId = await takeDeliveryId(db)
  const outcome = await send(egress, endpoint, openSecrets(secrets, endpoint), {
    id: webhookIdOf(deliveryId),
    event: { type: 'endpoint.test', at: new Date(), data: { endpoint: endpoint.name }, subject: '' },
  })
  const { isDelivered, responseStatus, error, durationMs } = outcome
  await transaction(db, async (tx) => {
    // It may have been deleted while it was tested.
    if ((await lockEndpoint(tx, id)) === undefined) return
    const changes = await addRequests(tx, [
      { endpointId: id, requestCount: 1, successCount: isDelivered ? 1 : 0 },
    ])
    const events = changes.map((change) => healthEvent(change, [{ endpointId: id, error }]))
    // 410 means the same as for a delivery: the endpoint is switched off.
    const off = outcome.isGone ? await switchOffGone(tx, id) : { events: [], records: [] }
    await insertEvents(tx, [...events, ...off.events])
    await failRecords(tx, off.records)
    await insertTest(tx, id, { ...outcome, id: deliveryId })
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

/** Sets finished deliveries pending again, under their own ids; returns how many. */
async function replayDeliveries(
  parts: ServiceParts,
  tx: Db,
  id: number,
  deliveryId: string | undefined,
  caller: Caller,
): Promise<number> {
  const endpoint = await lockEndpoint(tx, id)
  if (endpoint === undefined) throw unknownEndpoint()
  if (endpoint.status === 'inactive')
    throw new Refusal('wrong_state', 'This endpoint is inactive. Switch it on first.')
  const keys = await replay(tx, id, deliveryId, replayMax)
  await changeRecords(tx, keys, { status: 'in_progress', clientReport: 'pending', from: ['failed'] })
  if (keys.length > 0)
    await recordAudit(parts, tx, caller, {
      action: 'endpoint.replay',
      id,
      after: { name: endpoint.name, count: keys.length, ...(deliveryId === undefined ? {} : { deliveryId }) },
    })
  return keys.length
}

export async function replayFailed(
  parts: ServiceParts,
  id: number,
  caller: Caller,
): Promise<{ count: number }> {
  return transaction(parts.db, async (tx) => {
    await requireEndpoint(tx, id)
    await replayLimit.begin(tx, id)
    const count = await replayDeliveries(parts, tx, id, undefined, caller)
    await replayLimit.end(tx, id, count)
    return { count }
  })
}

export async function replayDelivery(
  parts: ServiceParts,
  id: number,
  deliveryId: string,
  caller: Caller,
): Promise<Delivery> {
  return transaction(parts.db, async (tx) => {
    const count = await replayDeliveries(parts, tx, id, deliveryId, caller)
    const found = await viewDelivery(tx, id, deliveryId)
    if (found === undefined) throw new Refusal('not_found', 'There is no such delivery.')
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
