import { sql, type RawBuilder } from 'kysely'
import { requestsRoutes } from '@tollgate/contract/numbers.ts'
import { csvReply } from '../../platform/csv.ts'
import { everyPage } from '../../platform/cursor.ts'
import type { Db } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../../platform/http/handlers.ts'
import { containsPattern } from '../../platform/search-pattern.ts'
import { byOf, type NumbersDeps } from '../deps.ts'
import { toInventoryItem } from '../inventory/item.ts'
import { allOf } from '../../platform/sorted-page.ts'
import { offersFor } from './offers.ts'
import { createRequest, findRequest, processRequest, toRequest } from './service.ts'
import { countRequests, listRequests } from './store.ts'

interface RequestFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
}

function filterOf({ search, status }: RequestFilter): RawBuilder<unknown> {
  const anywhere = containsPattern(search ?? '')
  return allOf([
    search !== undefined &&
      search !== '' &&
      sql`(u.username ilike ${anywhere} or u.email ilike ${anywhere} or q.requested_number like ${anywhere}
        or q.assigned_number like ${anywhere} or q.preferred_country ilike ${anywhere}
        or q.business_purpose ilike ${anywhere})`,
    status !== undefined && status !== 'all' && sql`q.status = ${status}`,
  ])
}

const exportHeader = [
  'Date & Time',
  'User',
  'Email',
  'Requested Number',
  'Preferred Country',
  'Country Code',
  'Business Purpose',
  'Expected Volume',
  'Status',
  'Assigned Number',
  'Rejection Reason',
  'Processed At',
] as const

async function* exportLines(db: Db, filter: RawBuilder<unknown>): AsyncGenerator<string[][]> {
  const read = (cursor: string | undefined) =>
    listRequests(db, filter, { sort: 'createdAt', order: 'desc', limit: 1_000, cursor })
  for await (const page of everyPage(read))
    yield page.rows
      .map(toRequest)
      .map((request) => [
        request.createdAt,
        request.userName,
        request.userEmail,
        request.requestedNumber,
        request.preferredCountry,
        request.countryCode,
        request.businessPurpose,
        request.expectedVolume,
        request.status,
        request.assignedNumber,
        request.rejectionReason,
        request.processedAt ?? '',
      ])
}

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
      const page = await listRequests(db, filterOf(query), query)
      return { items: page.rows.map(toRequest), next: page.next }
    },
    exportRequests: async ({ query }) =>
      csvReply('number-requests.csv', exportHeader, exportLines(db, filterOf(query))),
    summariseAllRequests: () => countRequests(db, sql`true`),
    async offerNumbers({ params }) {
      return (await offersFor(db, await findRequest(db, params.id))).map(toInventoryItem)
    },
    processRequest: ({ params, body }, context) => processRequest(deps, params.id, body, byOf(context)),
  })
}
