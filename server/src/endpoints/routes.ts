import { endpointsRoutes } from '@tollgate/contract/endpoints.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { bindRoutes, type BoundRoutes } from '../platform/http/handlers.ts'
import {
  createEndpoint,
  editEndpoint,
  removeEndpoint,
  replayDelivery,
  replayFailed,
  rotateSecret,
  testEndpoint,
  type ServiceParts,
} from './service.ts'
import { findEndpoint } from './store.ts'
import { viewDeliveries, viewEndpoints } from './views.ts'

const idMax = 2_147_483_647

/** The id as a number; a larger one than the database can store names no endpoint. */
function idOf({ id }: { readonly id: string }): number {
  const number = Number(id)
  if (number > idMax) throw new Refusal('not_found', 'There is no such endpoint.')
  return number
}

export function bindEndpointsRoutes(parts: ServiceParts): BoundRoutes {
  const { db } = parts
  return bindRoutes(endpointsRoutes, {
    listEndpoints: () => viewEndpoints(db),
    createEndpoint: ({ body }, context) => createEndpoint(parts, body, context),
    editEndpoint: ({ params, body }, context) => editEndpoint(parts, idOf(params), body, context),
    async deleteEndpoint({ params }, context) {
      await removeEndpoint(parts, idOf(params), context)
      return {}
    },
    rotateSecret: ({ params }, context) => rotateSecret(parts, idOf(params), context),
    testEndpoint: ({ params }, context) => testEndpoint(parts, idOf(params), context),
    async listDeliveries({ params, query }) {
      const id = idOf(params)
      if ((await findEndpoint(db, id)) === undefined)
        throw new Refusal('not_found', 'There is no such endpoint.')
      return viewDeliveries(db, id, query)
    },
    replayDelivery: ({ params }, context) => replayDelivery(parts, idOf(params), params.deliveryId, context),
    replayFailed: ({ params }, context) => replayFailed(parts, idOf(params), context),
  })
}
