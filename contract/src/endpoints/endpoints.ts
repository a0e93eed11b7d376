// HTTP addresses that events are delivered to as signed webhooks. Spec §3 API endpoint; API specification, Endpoints.
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
} from '../fields.ts'
import { deliveryDetailSchema, deliverySchema, deliveryStatuses, endpointEventNames } from './deliveries.ts'
import { routes, type Route } from '../route.ts'
import { endpointMethods, endpointStatuses, type KeyScope, type Permission } from '../vocabulary.ts'

/** Without a limit one client could have every message sent to a thousand addresses. */
export const endpointsPerClientMax = 10

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
  /** What it is told. */
  events: z.array(z.enum(endpointEventNames)),
  /** When a test last reached the present address; null: none has. */
  verifiedAt: z.string().nullable(),
  /** Why the gateway switched it off; empty otherwise. */
  statusReason: z.string(),
  /** Only this client's records are sent there; null: those of all clients. */
  userId: z.int().nullable(),
  /** That client's username; empty when the records of all clients are sent there. */
  client: z.string(),
  lastUsed: z.string().nullable(),
  /** Since when all requests have failed; null after a request that succeeded. */
  failingSince: z.string().nullable(),
  /** Since when it is as it is: accepting, failing, paused or off. */
  stateSince: z.string(),
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

const anyEvents = z
  .array(z.enum(endpointEventNames))
  .min(1, 'Choose at least one event')
  .max(endpointEventNames.length)
  .transform((names) => endpointEventNames.filter((name) => names.includes(name)))

const fields = {
  name: required(64, 'Name is required'),
  endpoint: required(2_000, 'Endpoint URL is required').refine(
    (text) => callablePattern.test(text),
    'Enter an address that begins with https:// or http://, without a user name or password in it',
  ),
  method: z.enum(endpointMethods),
  rateLimit: wholeNumber(1, 100_000, 'Enter requests per minute', 'From 1 to 100000'),
  status: z.enum(endpointStatuses),
  events: anyEvents.refine(
    (names) => !names.includes('alert'),
    'Only endpoints of the staff are notified of alerts',
  ),
}
const owner = { userId: userIdSchema.nullable() }

const defaultEvents = ['message', 'completed', 'receipt'] as const

/** Spec §5: name and URL are required. Spec §9: 1000 requests a minute, POST. */
const createOwnEndpointSchema = z.object({
  ...fields,
  method: fields.method.default('POST'),
  rateLimit: fields.rateLimit.default(1_000),
  status: fields.status.default('active'),
  events: fields.events.prefault([...defaultEvents]),
})
/** Staff say whose records it gets; null: everybody's. */
export const createEndpointSchema = createOwnEndpointSchema.extend({
  userId: owner.userId.default(null),
  events: anyEvents.prefault([...defaultEvents]),
})

/** A field that is left out keeps its value. An endpoint keeps its client: another `userId` is refused. */
const editOwnEndpointSchema = z.object({ ...z.object(fields).partial().shape, version: versionSchema })
const editEndpointSchema = editOwnEndpointSchema.extend(
  z.object({ ...owner, events: anyEvents }).partial().shape,
)

const endpointTestSchema = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  /** The HTTP status of the answer, if there was one. */
  responseStatus: z.int().optional(),
  durationMs: z.int(),
})
export type EndpointTest = z.infer<typeof endpointTestSchema>

const deliveryParams = z.object({ id: idSchema, deliveryId: idSchema })

type OwnCreate = typeof createOwnEndpointSchema
type OwnEdit = typeof editOwnEndpointSchema
interface Ownership<Id> {
  userId?: Id | null | undefined
}

/** The bodies of a family of calls. */
interface EndpointBodies {
  readonly create: z.ZodType<
    z.output<OwnCreate> & Ownership<number>,
    z.input<OwnCreate> & Ownership<number | string>
  >
  readonly edit: z.ZodType<
    z.output<OwnEdit> & Ownership<number>,
    z.input<OwnEdit> & Ownership<number | string>
  >
}

type ApiPath = `/api/${string}`

/** Calls that decide where events go: they ask for a person who signed in lately. */
function addressCalls(base: ApiPath, access: Permission, bodies: EndpointBodies) {
  return {
    create: {
      method: 'POST',
      path: base,
      summary: 'Add an address. Its signing secret is in this answer and never again.',
      access,
      fresh: 'hour',
      body: bodies.create,
      response: endpointSchema,
      status: 201,
      isIdempotent: true,
    },
    edit: {
      method: 'PUT',
      path: `${base}/{id}`,
      summary:
        'Change an address, not its client. Inactive ends its waiting deliveries, maintenance pauses them.',
      access,
      fresh: 'hour',
      params: idParams,
      body: bodies.edit,
      response: endpointSchema,
    },
    remove: {
      method: 'DELETE',
      path: `${base}/{id}`,
      summary: 'Forget an address with its deliveries.',
      access,
      fresh: 'hour',
      params: idParams,
      response: okSchema,
    },
    rotate: {
      method: 'POST',
      path: `${base}/{id}/rotate-secret`,
      summary: 'Make a new signing secret, in this answer alone. For 24 h requests are signed with both.',
      access,
      fresh: 'now',
      params: idParams,
      response: endpointSchema,
      isIdempotent: true,
    },
  } as const satisfies Record<string, Route>
}

interface SharedFields {
  readonly access: Permission
  readonly scope?: KeyScope
}

/** Calls that run an address and leave it as it is. */
function runningCalls(base: ApiPath, shared: SharedFields) {
  return {
    pause: {
      ...shared,
      method: 'POST',
      path: `${base}/{id}/pause`,
      summary: 'Let deliveries wait (status maintenance).',
      params: idParams,
      response: endpointSchema,
    },
    resume: {
      ...shared,
      method: 'POST',
      path: `${base}/{id}/resume`,
      summary: 'Deliver again what waits, and everything new.',
      params: idParams,
      response: endpointSchema,
    },
    test: {
      ...shared,
      method: 'POST',
      path: `${base}/{id}/test`,
      summary: 'Send one signed test event now. A failure is an answer, not an error.',
      params: idParams,
      response: endpointTestSchema,
    },
  } as const satisfies Record<string, Route>
}

/** Calls about what was and is to be sent. */
function deliveryCalls(base: ApiPath, shared: SharedFields) {
  return {
    deliveries: {
      ...shared,
      method: 'GET',
      path: `${base}/{id}/deliveries`,
      summary: 'What was and is to be delivered to an address, newest first.',
      params: idParams,
      query: pageQuery.extend({ status: z.enum(deliveryStatuses).optional() }),
      response: z.array(deliverySchema),
      isPaged: true,
    },
    delivery: {
      ...shared,
      method: 'GET',
      path: `${base}/{id}/deliveries/{deliveryId}`,
      summary: 'One delivery: its request, and what was answered to each attempt.',
      params: deliveryParams,
      response: deliveryDetailSchema,
    },
    sendNow: {
      ...shared,
      method: 'POST',
      path: `${base}/{id}/deliveries/{deliveryId}/send-now`,
      summary: 'Make the next attempt of a waiting delivery now.',
      params: deliveryParams,
      response: deliverySchema,
      status: 202,
    },
    replay: {
      ...shared,
      method: 'POST',
      path: `${base}/{id}/deliveries/{deliveryId}/replay`,
      summary: 'Deliver once more, under the same webhook-id.',
      params: deliveryParams,
      response: deliverySchema,
      status: 202,
    },
    replayFailed: {
      ...shared,
      method: 'POST',
      path: `${base}/{id}/replay`,
      summary: 'Deliver again what failed, the oldest 10000 at most.',
      params: idParams,
      response: z.object({ count: z.int() }),
      status: 202,
      isHeavy: true,
    },
  } as const satisfies Record<string, Route>
}

/** The calls for endpoints under one address: those of staff, and those of a client for its own. */
function endpointCalls(base: ApiPath, access: Permission, bodies: EndpointBodies, scope?: KeyScope) {
  const shared = scope === undefined ? { access } : { access, scope }
  return {
    ...addressCalls(base, access, bodies),
    ...runningCalls(base, shared),
    ...deliveryCalls(base, shared),
  }
}

const staffBase = '/api/endpoints'
const ownBase = '/api/user/endpoints'

/** Everybody's endpoints, for staff. */
export const staffEndpointCalls = {
  ...endpointCalls(staffBase, 'interconnectionApi', {
    create: createEndpointSchema,
    edit: editEndpointSchema,
  }),
  list: {
    method: 'GET',
    path: staffBase,
    summary: 'Addresses that events are delivered to, of all or of one client. Secrets are masked.',
    access: 'interconnectionApi',
    query: z.object({ userId: userIdSchema.optional() }),
    response: z.array(endpointSchema),
  },
} as const satisfies Record<string, Route>

/** One's own endpoints. Somebody else's is 404. */
export const ownEndpointCalls = {
  ...endpointCalls(
    ownBase,
    'ownEndpoints',
    { create: createOwnEndpointSchema, edit: editOwnEndpointSchema },
    'webhooks:manage',
  ),
  list: {
    method: 'GET',
    path: ownBase,
    summary: 'The addresses that events of one’s own are delivered to. Secrets are masked.',
    access: 'ownEndpoints',
    scope: 'webhooks:manage',
    response: z.array(endpointSchema),
  },
} as const satisfies Record<string, Route>

export type EndpointCalls = ReturnType<typeof endpointCalls>

export const endpointsRoutes = routes({
  listEndpoints: staffEndpointCalls.list,
  createEndpoint: staffEndpointCalls.create,
  editEndpoint: staffEndpointCalls.edit,
  deleteEndpoint: staffEndpointCalls.remove,
  rotateSecret: staffEndpointCalls.rotate,
  pauseEndpoint: staffEndpointCalls.pause,
  resumeEndpoint: staffEndpointCalls.resume,
  testEndpoint: staffEndpointCalls.test,
  listDeliveries: staffEndpointCalls.deliveries,
  getDelivery: staffEndpointCalls.delivery,
  sendDeliveryNow: staffEndpointCalls.sendNow,
  replayDelivery: staffEndpointCalls.replay,
  replayFailed: staffEndpointCalls.replayFailed,
})

export const ownEndpointsRoutes = routes({
  listOwnEndpoints: ownEndpointCalls.list,
  createOwnEndpoint: ownEndpointCalls.create,
  editOwnEndpoint: ownEndpointCalls.edit,
  deleteOwnEndpoint: ownEndpointCalls.remove,
  rotateOwnSecret: ownEndpointCalls.rotate,
  pauseOwnEndpoint: ownEndpointCalls.pause,
  resumeOwnEndpoint: ownEndpointCalls.resume,
  testOwnEndpoint: ownEndpointCalls.test,
  listOwnDeliveries: ownEndpointCalls.deliveries,
  getOwnDelivery: ownEndpointCalls.delivery,
  sendOwnDeliveryNow: ownEndpointCalls.sendNow,
  replayOwnDelivery: ownEndpointCalls.replay,
  replayOwnFailed: ownEndpointCalls.replayFailed,
})
