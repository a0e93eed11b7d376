// What people do with endpoints: add, change, pause, delete. A client does it with its own, staff with everybody's.
import type { z } from 'zod'
import {
  endpointsPerClientMax,
  type createEndpointSchema,
  type Endpoint,
  type EndpointCalls,
} from '@tollgate/contract/endpoints/endpoints.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Audit } from '../audit/index.ts'
import type { Db } from '../platform/db.ts'
import type { Egress } from '../platform/security/egress.ts'
import type { Caller } from '../http/handlers.ts'
import { checkVersion } from '../platform/refusals.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { afterCommit, transaction } from '../platform/transaction.ts'
import { changeRecords } from '../ingest/index.ts'
import { failPending, pendingRecords, undeliverable } from './delivery-store.ts'
import { secretContext } from './open-secret.ts'
import { ownParameter } from './send.ts'
import { failRecords } from './store-results.ts'
import { newSecret } from './signature.ts'
import {
  countOfClient,
  deleteEndpoint,
  insertEndpoint,
  lockEndpoint,
  replaceSecret,
  setSecret,
  updateEndpoint,
  type EndpointFields,
  type EndpointRef,
  type EndpointRow,
} from './store.ts'
import { viewEndpoint } from './views.ts'

export interface ServiceParts {
  readonly db: Db
  readonly audit: Pick<Audit, 'record'>
  readonly secrets: Pick<Secrets, 'encrypt' | 'decrypt'>
  readonly egress: Pick<Egress, 'call'>
  /** Called after each commit that changes the endpoints or makes deliveries due. Must not throw. */
  readonly onChange: () => void
}

export function unknownEndpoint(): Refusal {
  return new Refusal('not_found', 'There is no such endpoint.')
}

function otherClient(): Refusal {
  return new Refusal('invalid', 'An endpoint keeps its client. Add a new one for another client.', {
    fields: { userId: 'An endpoint keeps its client' },
  })
}

export function inactiveEndpoint(): Refusal {
  return new Refusal('wrong_state', 'This endpoint is inactive. Switch it on first.')
}

async function requireEndpoint(db: Db, id: number): Promise<Endpoint> {
  const found = await viewEndpoint(db, id)
  if (found === undefined) throw unknownEndpoint()
  return found
}

/** The endpoint, locked. Throws Refusal not_found, also for somebody else's. */
export async function lockOwn(tx: Db, ref: EndpointRef): Promise<EndpointRow> {
  const found = await lockEndpoint(tx, ref)
  if (found === undefined) throw unknownEndpoint()
  return found
}

/** Throws Refusal invalid for nobody's id, and wrong_state when this client has as many endpoints as it may have. */
async function checkClient(tx: Db, userId: number | null): Promise<void> {
  if (userId === null) return
  if ((await tx.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst()) === undefined)
    throw new Refusal('invalid', 'There is no such user.', { fields: { userId: 'Choose an existing user' } })
  if ((await countOfClient(tx, userId)) >= endpointsPerClientMax)
    throw new Refusal(
      'wrong_state',
      sentence('There are {count} endpoints of this client already. Delete one that is not needed first.', {
        count: endpointsPerClientMax,
      }),
    )
}

/** What the audit log shows of an endpoint. */
function auditFields({ name, url, method, rateLimit, status, events, userId }: EndpointFields): object {
  return { name, url, method, rateLimit, status, events, userId }
}

export async function recordAudit(
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
  checkParameters(fields)
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

/**
 * Changes an endpoint. Throws Refusal invalid for another client: it would read what was delivered for the one before, and
 * alerts that are for staff.
 */
export async function editEndpoint(
  parts: ServiceParts,
  ref: EndpointRef,
  { endpoint, userId, version, ...input }: z.output<EndpointCalls['edit']['body']>,
  caller: Caller,
): Promise<Endpoint> {
  return transaction(parts.db, async (tx) => {
    const before = await lockOwn(tx, ref)
    checkVersion(version, before.version)
    if (userId !== undefined && userId !== before.userId) throw otherClient()
    const fields = merged(before, { ...input, url: endpoint })
    checkParameters(fields)
    return save(parts, tx, { before, fields, caller })
  })
}

/**
 * Lets the deliveries of an endpoint wait, or go on. Throws Refusal wrong_state for one that is inactive: switching it on
 * is a decision about where texts go.
 */
export async function pauseEndpoint(
  parts: ServiceParts,
  ref: EndpointRef,
  status: 'maintenance' | 'active',
  caller: Caller,
): Promise<Endpoint> {
  return transaction(parts.db, async (tx) => {
    const before = await lockOwn(tx, ref)
    if (before.status === 'inactive') throw inactiveEndpoint()
    if (before.status === status) return requireEndpoint(tx, ref.id)
    return save(parts, tx, { before, fields: merged(before, { status }), caller })
  })
}

interface EndpointChange {
  readonly before: EndpointRow
  readonly fields: EndpointFields
  readonly caller: Caller
}

async function save(
  parts: ServiceParts,
  tx: Db,
  { before, fields, caller }: EndpointChange,
): Promise<Endpoint> {
  const { id } = before
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
}

/** Of two parameters of one name a receiver reads either. */
function checkParameters(fields: Pick<EndpointFields, 'url' | 'method'>): void {
  const name = ownParameter(fields)
  if (name === undefined) return
  throw new Refusal(
    'invalid',
    sentence('The address has a parameter {name}, which a GET of Tollgate adds itself.', { name }),
    {
      fields: {
        endpoint: sentence('Remove the parameter {name}, or choose another method: a GET adds it itself', {
          name,
        }),
      },
    },
  )
}

type Changeable = Omit<EndpointFields, 'userId'>
type EndpointChanges = { readonly [K in keyof Changeable]?: Changeable[K] | undefined }

function merged(before: EndpointRow, changes: EndpointChanges): EndpointFields {
  return {
    userId: before.userId,
    name: changes.name ?? before.name,
    url: changes.url ?? before.url,
    method: changes.method ?? before.method,
    rateLimit: changes.rateLimit ?? before.rateLimit,
    status: changes.status ?? before.status,
    events: changes.events ?? before.events,
  }
}

/** Deletes an endpoint. Records that only this endpoint would have taken are completed. */
export async function removeEndpoint(parts: ServiceParts, ref: EndpointRef, caller: Caller): Promise<void> {
  const { id } = ref
  await transaction(parts.db, async (tx) => {
    const before = await lockOwn(tx, ref)
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
export async function rotateSecret(parts: ServiceParts, ref: EndpointRef, caller: Caller): Promise<Endpoint> {
  const { id } = ref
  const secret = newSecret()
  return transaction(parts.db, async (tx) => {
    const before = await lockOwn(tx, ref)
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
