import { sql, type RawBuilder } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import { requestsRoutes, type NumberRequest } from '@tollgate/contract/numbers/requests.ts'
import { csvOfList, type CsvColumn, exportPageRows } from '../../files/formats/csv.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { toInventoryItem } from '../inventory/item.ts'
import { allOf, isChosen } from '../../http/lists/sorted-page.ts'
import { offersFor } from './offers.ts'
import { editRequest, withdrawRequest } from './own-requests.ts'
import { createRequest, findRequest, processRequest, processRequests, toRequest } from './service.ts'
import { countRequests, listRequests, type RequestPage } from './store.ts'

interface RequestFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
  readonly userId?: number | undefined
}

const statusesOf = (status: string): readonly string[] =>
  status === 'waiting' ? ['pending', 'approved'] : status === 'granted' ? ['approved', 'assigned'] : [status]

/** The condition of the requests that a filter of the queue matches; it sees them as q, their users as u. */
export function requestFilter({ search, status, userId }: RequestFilter): RawBuilder<unknown> {
  const anywhere = containsPattern(search ?? '')
  const digits = containsPattern(searchedDigits(search ?? '') ?? search ?? '')
  return allOf([
    search !== undefined &&
      search !== '' &&
      sql`(u.username ilike ${anywhere} or u.email ilike ${anywhere} or q.requested_number like ${digits}
        or q.assigned_number like ${digits} or q.preferred_country ilike ${anywhere}
        or q.business_purpose ilike ${anywhere})`,
    status !== undefined && status !== 'all' && sql`q.status = any(${statusesOf(status)})`,
    userId !== undefined && sql`q.user_id = ${userId}`,
  ])
}

const exportColumns: readonly CsvColumn<NumberRequest>[] = [
  ['Date & Time', ({ createdAt }) => createdAt],
  ['User', ({ userName }) => userName],
  ['Email', ({ userEmail }) => userEmail],
  ['Requested Number', ({ requestedNumber }) => requestedNumber],
  ['Preferred Country', ({ preferredCountry }) => preferredCountry],
  ['Country Code', ({ countryCode }) => countryCode],
  ['Business Purpose', ({ businessPurpose }) => businessPurpose],
  ['Expected Volume', ({ expectedVolume }) => expectedVolume],
  ['Status', ({ status }) => status],
  ['Assigned Number', ({ assignedNumber }) => assignedNumber],
  ['Rejection Reason', ({ rejectionReason }) => rejectionReason],
  ['Processed At', ({ processedAt }) => processedAt ?? ''],
]

export function bindRequestsRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  const pageOf = async (filter: RawBuilder<unknown>, query: RequestPage) => {
    const page = await listRequests(db, filter, query)
    return { items: page.rows.map(toRequest), next: page.next }
  }
  const exported = (filter: RawBuilder<unknown>) =>
    csvOfList('number-requests.csv', exportColumns, (cursor) =>
      pageOf(filter, { sort: 'createdAt', order: 'desc', limit: exportPageRows, cursor }),
    )
  return bindRoutes(requestsRoutes, {
    listOwnRequests: ({ query }, { actor }) => pageOf(sql`q.user_id = ${actor.userId}`, query),
    summariseOwnRequests: (_, { actor }) => countRequests(db, sql`q.user_id = ${actor.userId}`),
    createRequest: ({ body }, context) =>
      context.once(deps.db, (tx) => createRequest({ ...deps, db: tx }, body, callerOf(context))),
    editRequest: ({ params, body }, context) => editRequest(deps, params.id, body, callerOf(context)),
    withdrawRequest: ({ params }, context) => withdrawRequest(deps, params.id, callerOf(context)),
    listAllRequests: ({ query }) => pageOf(requestFilter(query), query),
    exportRequests: async ({ query }) => exported(requestFilter(query)),
    exportChosenRequests: async ({ body }) => exported(isChosen(sql`q.id`, body.ids)),
    summariseAllRequests: ({ query }) => countRequests(db, requestFilter(query)),
    async offerNumbers({ params }) {
      return (await offersFor(db, await findRequest(db, params.id))).map(toInventoryItem)
    },
    processRequest: ({ params, body }, context) => processRequest(deps, params.id, body, callerOf(context)),
    bulkProcessRequests: ({ body }, context) => processRequests(deps, body.ids, body, callerOf(context)),
  })
}
