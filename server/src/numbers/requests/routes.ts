import { sql } from 'kysely'
import { requestsRoutes } from '@tollgate/contract/numbers.ts'
import { bindRoutes, type BoundRoutes } from '../../platform/http/handlers.ts'
import { containsPattern } from '../../platform/search-pattern.ts'
import { byOf, type NumbersDeps } from '../deps.ts'
import { toInventoryItem } from '../inventory/item.ts'
import { allOf } from '../../platform/sorted-page.ts'
import { offersFor } from './offers.ts'
import { createRequest, findRequest, processRequest, toRequest } from './service.ts'
import { countRequests, listRequests } from './store.ts'

export function bindRequestsRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(requestsRoutes, {
    async listOwnRequests({ query }, { actor }) {
      const page = await listRequests(db, sql`q.user_id = ${actor.userId}`, query)
      return { items: page.rows.map(toRequest), next: page.next }
    },
    summariseOwnRequests: (_, { actor }) => countRequests(db, sql`q.user_id = ${actor.userId}`),
    createRequest: ({ body }, context) => createRequest(deps, body, byOf(context)),
    async listAllRequests({ query }) {
      const { search, status } = query
      const anywhere = containsPattern(search ?? '')
      const filter = allOf([
        search !== undefined &&
          search !== '' &&
          sql`(u.username ilike ${anywhere} or u.email ilike ${anywhere} or q.requested_number like ${anywhere}
            or q.assigned_number like ${anywhere} or q.preferred_country ilike ${anywhere}
            or q.business_purpose ilike ${anywhere})`,
        status !== undefined && status !== 'all' && sql`q.status = ${status}`,
      ])
      const page = await listRequests(db, filter, query)
      return { items: page.rows.map(toRequest), next: page.next }
    },
    summariseAllRequests: () => countRequests(db, sql`true`),
    async offerNumbers({ params }) {
      return (await offersFor(db, await findRequest(db, params.id))).map(toInventoryItem)
    },
    processRequest: ({ params, body }, context) => processRequest(deps, params.id, body, byOf(context)),
  })
}
