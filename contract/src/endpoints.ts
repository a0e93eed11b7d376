// HTTP addresses that records are delivered to as signed webhooks. Spec §3 API endpoint; outside contract, Endpoints.
import { z } from 'zod'
import {
  idParams,
  idSchema,
  lineSchema,
  okSchema,
  pageQuery,
  userIdSchema,
  versionSchema,
  wholeNumber,
} from './fields.ts'
import { routes } from './route.ts'
import { endpointMethods, endpointStatuses } from './vocabulary.ts'

/** What a delivery reports: a new record, a changed one, a long message with all its parts, or a test of the address. */
export const deliveryTypes = [
  'record.created',
  'record.updated',
  'message.completed',
  'endpoint.test',
] as const
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

const endpointSchema = z.object({
  id: z.string(),
  name: z.string(),
  /** The URL. */
  endpoint: z.string(),
  method: z.enum(endpointMethods),
  /** The signing secret: shown in the answer that creates the endpoint, masked afterwards. */
  apiKey: z.string(),
  /** Requests a minute. */
  rateLimit: z.int(),
  status: z.enum(endpointStatuses),
  /** Why the gateway switched it off; empty otherwise. */
  statusReason: z.string(),
  /** Only this client's records are sent there; null: those of all clients. */
  userId: z.int().nullable(),
  /** That client's username; empty when the records of all clients are sent there. */
  client: z.string(),
  lastUsed: z.string().nullable(),
  /** Since when all requests have failed; null after a request that succeeded. */
  failingSince: z.string().nullable(),
  totalRequests: z.int(),
  /** Percent of all requests, one decimal; 0 before the first request. */
  successRate: z.number(),
  /** Deliveries that wait for their first or next attempt. */
  waiting: z.int(),
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Endpoint = z.infer<typeof endpointSchema>

const required = (max: number, missing: string) =>
  lineSchema(max).refine((text) => text.length > 0, { error: missing, abort: true })

// Refuses only what could never be called: a host name is resolved at each call. A user name or password in the
// address is refused because every list would show it.
const callablePattern = /^https?:\/\/[^\s/?#@\\]+([/?#]\S*)?$/i

const fields = {
  name: required(64, 'Name is required'),
  endpoint: required(2_000, 'Endpoint URL is required').refine(
    (text) => callablePattern.test(text),
    'Enter an address that begins with https:// or http://, without a user name or password in it',
  ),
  method: z.enum(endpointMethods),
  rateLimit: wholeNumber(1, 100_000, 'Enter requests per minute', 'From 1 to 100000'),
  status: z.enum(endpointStatuses),
  userId: userIdSchema.nullable(),
}

/** Spec §5: name and URL are required. Spec §9: 1000 requests a minute, POST. */
export const createEndpointSchema = z.object({
  ...fields,
  method: fields.method.default('POST'),
  rateLimit: fields.rateLimit.default(1_000),
  status: fields.status.default('active'),
  userId: fields.userId.default(null),
})

/** A field that is left out keeps its value. */
export const editEndpointSchema = z.object({ ...z.object(fields).partial().shape, version: versionSchema })

const endpointTestSchema = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  /** The HTTP status of the answer, if there was one. */
  responseStatus: z.int().optional(),
  durationMs: z.int(),
})
export type EndpointTest = z.infer<typeof endpointTestSchema>

const deliverySchema = z.object({
  id: z.string(),
  /** The `webhook-id` header: the same at each attempt. */
  webhookId: z.string(),
  type: z.enum(deliveryTypes),
  /** The record's id; empty for a long message and for a test. */
  recordId: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  responseStatus: z.int().nullable(),
  error: z.string(),
  createdAt: z.string(),
  lastAttempt: z.string().nullable(),
  /** Time of the next attempt; null when there is none. */
  nextAttempt: z.string().nullable(),
})
export type Delivery = z.infer<typeof deliverySchema>

const base = '/api/endpoints'

export const endpointsRoutes = routes({
  listEndpoints: {
    method: 'GET',
    path: base,
    summary: 'Addresses that records are delivered to. Secrets are masked.',
    access: 'interconnectionApi',
    response: z.array(endpointSchema),
  },
  createEndpoint: {
    method: 'POST',
    path: base,
    summary: 'Add an address. Its signing secret is in this answer and never again.',
    access: 'interconnectionApi',
    isFresh: true,
    body: createEndpointSchema,
    response: endpointSchema,
    status: 201,
  },
  editEndpoint: {
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Change an address. Inactive ends its waiting deliveries, maintenance pauses them.',
    access: 'interconnectionApi',
    isFresh: true,
    params: idParams,
    body: editEndpointSchema,
    response: endpointSchema,
  },
  deleteEndpoint: {
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Forget an address with its deliveries.',
    access: 'interconnectionApi',
    isFresh: true,
    params: idParams,
    response: okSchema,
  },
  rotateSecret: {
    method: 'POST',
    path: `${base}/{id}/rotate-secret`,
    summary: 'Make a new signing secret, in this answer alone. For 24 h requests are signed with both.',
    access: 'interconnectionApi',
    isFresh: true,
    params: idParams,
    response: endpointSchema,
  },
  testEndpoint: {
    method: 'POST',
    path: `${base}/{id}/test`,
    summary: 'Send one signed test event now. A failure is an answer, not an error.',
    access: 'interconnectionApi',
    params: idParams,
    response: endpointTestSchema,
  },
  listDeliveries: {
    method: 'GET',
    path: `${base}/{id}/deliveries`,
    summary: 'What was and is to be delivered to an address, newest first.',
    access: 'interconnectionApi',
    params: idParams,
    query: pageQuery.extend({ status: z.enum(deliveryStatuses).optional() }),
    response: z.array(deliverySchema),
    isPaged: true,
  },
  replayDelivery: {
    method: 'POST',
    path: `${base}/{id}/deliveries/{deliveryId}/replay`,
    summary: 'Deliver once more, under the same webhook-id.',
    access: 'interconnectionApi',
    params: z.object({ id: idSchema, deliveryId: idSchema }),
    response: deliverySchema,
    status: 202,
  },
  replayFailed: {
    method: 'POST',
    path: `${base}/{id}/replay`,
    summary: 'Deliver again what failed, the oldest 10000 at most.',
    access: 'interconnectionApi',
    params: idParams,
    response: z.object({ count: z.int() }),
    status: 202,
    isHeavy: true,
  },
})
