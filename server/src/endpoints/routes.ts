import {
  endpointsRoutes,
  ownEndpointsRoutes,
  type EndpointCalls,
} from '@tollgate/contract/endpoints/endpoints.ts'
import { bindRoutes, type Actor, type BoundRoutes, type Handlers } from '../http/handlers.ts'
import { replayDelivery, replayFailed, sendNow } from './replay.ts'
import {
  createEndpoint,
  editEndpoint,
  pauseEndpoint,
  removeEndpoint,
  rotateSecret,
  unknownEndpoint,
  type ServiceParts,
} from './service.ts'
import { showDelivery } from './show-delivery.ts'
import { findEndpoint, type EndpointRef } from './store.ts'
import { testEndpoint } from './test-endpoint.ts'
import { viewDeliveries, viewEndpoints } from './views.ts'

const idMax = 2_147_483_647

/** Staff's calls, for everybody's endpoints. */
export function bindEndpointsRoutes(parts: ServiceParts): BoundRoutes {
  const calls = handlersOf(parts, () => undefined)
  return bindRoutes(endpointsRoutes, {
    listEndpoints: ({ query }) => viewEndpoints(parts.db, query.userId),
    createEndpoint: calls.create,
    editEndpoint: calls.edit,
    deleteEndpoint: calls.remove,
    rotateSecret: calls.rotate,
    pauseEndpoint: calls.pause,
    resumeEndpoint: calls.resume,
    testEndpoint: calls.test,
    listDeliveries: calls.deliveries,
    getDelivery: calls.delivery,
    sendDeliveryNow: calls.sendNow,
    replayDelivery: calls.replay,
    replayFailed: calls.replayFailed,
  })
}

/** A client's calls, for its own. */
export function bindOwnEndpointsRoutes(parts: ServiceParts): BoundRoutes {
  const calls = handlersOf(parts, ({ userId }) => userId)
  return bindRoutes(ownEndpointsRoutes, {
    listOwnEndpoints: (_, { actor }) => viewEndpoints(parts.db, actor.userId),
    createOwnEndpoint: calls.create,
    editOwnEndpoint: calls.edit,
    deleteOwnEndpoint: calls.remove,
    rotateOwnSecret: calls.rotate,
    pauseOwnEndpoint: calls.pause,
    resumeOwnEndpoint: calls.resume,
    testOwnEndpoint: calls.test,
    listOwnDeliveries: calls.deliveries,
    getOwnDelivery: calls.delivery,
    sendOwnDeliveryNow: calls.sendNow,
    replayOwnDelivery: calls.replay,
    replayOwnFailed: calls.replayFailed,
  })
}

/** The handlers of either table. `ownerOf` says whose endpoints the caller may reach; undefined: everybody's. */
function handlersOf(
  parts: ServiceParts,
  ownerOf: (actor: Actor) => number | undefined,
): Handlers<EndpointCalls> {
  const { db } = parts
  /** A larger id than the database can store names no endpoint. */
  function refOf({ id }: { readonly id: string }, { actor }: { readonly actor: Actor }): EndpointRef {
    const number = Number(id)
    if (number > idMax) throw unknownEndpoint()
    return { id: number, ownerId: ownerOf(actor) }
  }
  return {
    create: ({ body }, context) =>
      context.once(db, (tx) => {
        const userId = ownerOf(context.actor) ?? body.userId ?? null
        return createEndpoint({ ...parts, db: tx }, { ...body, userId }, context)
      }),
    edit: ({ params, body }, context) => editEndpoint(parts, refOf(params, context), body, context),
    remove: ({ params }, context) => removeEndpoint(parts, refOf(params, context), context),
    rotate: ({ params }, context) =>
      context.once(db, (tx) => rotateSecret({ ...parts, db: tx }, refOf(params, context), context)),
    pause: ({ params }, context) => pauseEndpoint(parts, refOf(params, context), 'maintenance', context),
    resume: ({ params }, context) => pauseEndpoint(parts, refOf(params, context), 'active', context),
    test: ({ params }, context) => testEndpoint(parts, refOf(params, context), context),
    async deliveries({ params, query }, context) {
      const ref = refOf(params, context)
      if ((await findEndpoint(db, ref)) === undefined) throw unknownEndpoint()
      return viewDeliveries(db, ref.id, query)
    },
    delivery: ({ params }, context) => showDelivery(parts, refOf(params, context), params.deliveryId),
    sendNow: ({ params }, context) => sendNow(parts, refOf(params, context), params.deliveryId, context),
    replay: ({ params }, context) =>
      replayDelivery(parts, refOf(params, context), params.deliveryId, context),
    replayFailed: ({ params }, context) => replayFailed(parts, refOf(params, context), context),
  }
}
