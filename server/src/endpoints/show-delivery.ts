// One delivery with its request and its attempts, for people who look for a fault.
import type { DeliveryDetail } from '@tollgate/contract/endpoints/deliveries.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { findDelivery, type StoredDelivery } from './delivery-store.ts'
import { bodyOf, plainRequest } from './send.ts'
import { unknownEndpoint } from './service.ts'
import { findEndpoint, type EndpointRef, type EndpointRow } from './store.ts'
import { viewAttempts, viewDelivery, webhookIdOf } from './views.ts'
import { readWebhookData, type WebhookContent } from './webhook-data.ts'

const maskedSignature = 'v1,••••••••'

interface ShowDeliveryParts {
  readonly db: Db
  readonly secrets: Pick<Secrets, 'decrypt'>
}

/**
 * Throws Refusal not_found. The request is made anew from what is stored, because no copy is kept: with the record as it is
 * now, its text masked, since reading a text leaves an audit entry.
 */
export async function showDelivery(
  { db, secrets }: ShowDeliveryParts,
  ref: EndpointRef,
  deliveryId: string,
): Promise<DeliveryDetail> {
  const endpoint = await findEndpoint(db, ref)
  if (endpoint === undefined) throw unknownEndpoint()
  const [shown, stored] = await Promise.all([
    viewDelivery(db, ref.id, deliveryId),
    findDelivery(db, ref.id, deliveryId),
  ])
  if (shown === undefined || stored === undefined)
    throw new Refusal('not_found', 'There is no such delivery.')
  // Without a role nobody sees texts. What cannot be decrypted is masked all the same.
  const deps = { db, secrets, onFault: () => undefined }
  const contents = await readWebhookData(deps, { ...endpoint, clientRole: '' }, [stored])
  const isTest = stored.type === 'endpoint.test'
  const content = isTest ? testContent(endpoint) : contents.get(stored.id)
  return {
    ...shown,
    subject: content?.subject ?? shown.subject,
    request: requestOf(endpoint, stored, content),
    history: await viewAttempts(db, deliveryId),
  }
}

/** What a test carries. */
export function testContent({ name }: Pick<EndpointRow, 'name'>): WebhookContent {
  return { data: { endpoint: name }, subject: '', record: undefined }
}

/** `content` is undefined when the record or message is not kept any more. */
function requestOf(
  endpoint: EndpointRow,
  { id, type, createdAt, lastAttemptAt }: StoredDelivery,
  content: WebhookContent | undefined,
): DeliveryDetail['request'] {
  const event = { type, at: createdAt, data: content?.data ?? {}, subject: content?.subject ?? '' }
  const timestamp = Math.floor((lastAttemptAt ?? new Date()).getTime() / 1_000)
  const { url, headers } = plainRequest(endpoint, { id: webhookIdOf(id), event }, timestamp)
  const all = { ...headers, 'webhook-signature': maskedSignature }
  return {
    method: endpoint.method,
    url,
    headers: Object.entries(all).map(([name, value]) => ({ name, value })),
    body: content === undefined ? '' : bodyOf(endpoint, event),
  }
}
