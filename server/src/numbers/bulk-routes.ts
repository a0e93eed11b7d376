// Acts on all numbers, ranges or requests that a filter matches, and undoing them and those on chosen rows.
import { numberChangesRoutes } from '@tollgate/contract/numbers/bulk-changes.ts'
import { bindRoutes, type BoundRoutes } from '../http/handlers.ts'
import { changeMatching, undoChange, type BulkKind } from '../http/lists/bulk-changes.ts'
import { callerOf, type NumbersDeps } from './deps.ts'
import { stockFilter } from './inventory/routes.ts'
import { premiumFilter } from './management/routes.ts'
import { rangeFilter } from './ranges/routes.ts'
import { rangeStatuses } from './ranges/service.ts'
import { requestFilter } from './requests/routes.ts'
import { matchingDecision, requestKind } from './requests/service.ts'
import { assignKind, matchingAssignment, matchingUnassignment, unassignKind } from './inventory/holdings.ts'
import { numberStatuses } from './management/statuses.ts'
import { matchingStatus, statusKind } from './statuses.ts'

export function bindChangesRoutes(deps: NumbersDeps): BoundRoutes {
  const kinds = [
    statusKind(numberStatuses, deps),
    statusKind(rangeStatuses, deps),
    assignKind(deps),
    unassignKind(deps),
    requestKind(deps),
  ] as BulkKind<unknown>[]
  return bindRoutes(numberChangesRoutes, {
    async setMatchingNumberStatus({ body: { filter, ...set } }, context) {
      const act = matchingStatus(numberStatuses, deps, {
        ...set,
        filter: await premiumFilter(deps.db, filter),
      })
      return changeMatching(deps, act, callerOf(context))
    },
    async assignMatchingNumbers({ body: { filter, ...set } }, context) {
      const act = matchingAssignment(deps, { ...set, filter: await stockFilter(deps.db, filter) })
      return changeMatching(deps, act, callerOf(context))
    },
    async unassignMatchingNumbers({ body: { filter, ...set } }, context) {
      const act = matchingUnassignment(deps, { ...set, filter: await stockFilter(deps.db, filter) })
      return changeMatching(deps, act, callerOf(context))
    },
    setMatchingRangeStatus: ({ body: { filter, ...set } }, context) =>
      changeMatching(
        deps,
        matchingStatus(rangeStatuses, deps, { ...set, filter: rangeFilter(filter) }),
        callerOf(context),
      ),
    processMatchingRequests: ({ body: { filter, count, ...decision } }, context) =>
      changeMatching(
        deps,
        matchingDecision(deps, { filter: requestFilter(filter), count, decision }),
        callerOf(context),
      ),
    undoNumbersChange: ({ params }, context) => undoChange(deps, kinds, params.id, callerOf(context)),
  })
}
