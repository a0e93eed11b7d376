// Acts on many rows as one change: on all that a filter matches, whether they are on screen or not. Each, and each act on
// chosen rows, can be undone as one for a week.
import { z } from 'zod'
import { changeIdSchema, idParams, lineSchema, userIdSchema, wholeNumber } from '../fields.ts'
import { inventoryQuery } from './inventory.ts'
import { requestQuery } from './requests.ts'
import { premiumQuery } from './numbers.ts'
import { rangeQuery } from './ranges.ts'
import { routes } from '../route.ts'
import { userFilters } from '../users/users.ts'
import { accountStatuses, leftOutReasons } from '../vocabulary.ts'

/** The largest number of rows that one act on a filter changes; it goes in steps. */
export const matchingRowsMax = 100_000

/** How many rows the person was told. When others match by now, nothing is changed. */
const count = wholeNumber(1, matchingRowsMax)

const bulkChangeSchema = z.object({
  changeId: changeIdSchema,
  changedCount: z.int(),
  /** How many of the matching rows were left as they were, for each reason. */
  leftOut: z.array(z.object({ reason: z.enum(leftOutReasons), count: z.int() })),
})
export type BulkChange = z.infer<typeof bulkChangeSchema>

const bulkUndoSchema = z.object({
  restoredCount: z.int(),
  /** Changed since by somebody, and left alone. */
  leftCount: z.int(),
})
export type BulkUndo = z.infer<typeof bulkUndoSchema>

const ofNumbers = {
  method: 'POST',
  access: 'numbersManagement',
  fresh: 'hour',
  isLong: true,
  response: bulkChangeSchema,
} as const

export const numberChangesRoutes = routes({
  setMatchingNumberStatus: {
    ...ofNumbers,
    path: '/api/premium-numbers/status/matching',
    summary:
      'Set the status of all numbers that the filters of the list match, as many as the person was told.',
    body: z.object({ filter: premiumQuery, count, status: z.enum(accountStatuses) }),
  },
  assignMatchingNumbers: {
    ...ofNumbers,
    path: '/api/number-inventory/assign/matching',
    summary: 'Give all available numbers that the filters of the stock match to one user.',
    body: z.object({ filter: inventoryQuery, count, userId: userIdSchema }),
  },
  unassignMatchingNumbers: {
    ...ofNumbers,
    path: '/api/number-inventory/unassign/matching',
    summary: 'End the holdings of all numbers that the filters of the stock match.',
    body: z.object({ filter: inventoryQuery, count }),
  },
  setMatchingRangeStatus: {
    ...ofNumbers,
    path: '/api/ranges/status/matching',
    summary: 'Set the status of all ranges that the filters of the list match.',
    body: z.object({ filter: rangeQuery, count, status: z.enum(accountStatuses) }),
  },
  processMatchingRequests: {
    ...ofNumbers,
    path: '/api/number-requests/process/matching',
    summary: 'Approve or reject all requests that the filters of the queue match.',
    body: z.object({
      filter: requestQuery,
      count,
      action: z.enum(['approve', 'reject']),
      rejectionReason: lineSchema(1000).optional(),
    }),
  },
  undoNumbersChange: {
    ...ofNumbers,
    path: '/api/number-changes/{id}/undo',
    summary:
      'Undo a change of many numbers, ranges or requests as one; those that were changed since are left alone.',
    params: idParams,
    response: bulkUndoSchema,
  },
})

export const userChangesRoutes = routes({
  setMatchingUserStatus: {
    method: 'POST',
    path: '/api/users/status/matching',
    summary: 'Set the status of all accounts that the filters of the list match.',
    access: 'userManagement',
    fresh: 'hour',
    isLong: true,
    body: z.object({ filter: userFilters, count, status: z.enum(accountStatuses) }),
    response: bulkChangeSchema,
  },
  undoUsersChange: {
    method: 'POST',
    path: '/api/user-changes/{id}/undo',
    summary: 'Undo a change of many accounts as one; those that were changed since are left alone.',
    access: 'userManagement',
    fresh: 'hour',
    isLong: true,
    params: idParams,
    response: bulkUndoSchema,
  },
})
