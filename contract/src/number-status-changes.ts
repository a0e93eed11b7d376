// Setting the status of all numbers that a filter matches, whether they are on screen or not.
import { z } from 'zod'
import { idParams, idSchema, searchSchema, wholeNumber } from './fields.ts'
import { routes } from './route.ts'
import { accountStatuses } from './vocabulary.ts'

/** The largest number of rows that one act on a filter changes; it goes in steps. */
export const matchingNumbersMax = 100_000

export const numberStatusChangesRoutes = routes({
  setMatchingNumberStatus: {
    method: 'POST',
    path: '/api/premium-numbers/status/matching',
    summary:
      'Set the status of all numbers that the filters of the list match. `count` is how many the person was told; when others match by now, nothing is changed.',
    access: 'numbersManagement',
    isFresh: true,
    isLong: true,
    body: z.object({
      filter: z.object({
        search: searchSchema.optional(),
        status: z.enum([...accountStatuses, 'all']).optional(),
        country: z.string().max(100).optional(),
      }),
      count: wholeNumber(1, matchingNumbersMax),
      status: z.enum(accountStatuses),
    }),
    response: z.object({
      /** Names the change for undoing it; null when every number had the status already. */
      changeId: idSchema.nullable(),
      changedCount: z.int(),
      /** Had the status already. */
      sameCount: z.int(),
      /** Deleted, or taken out of the filter by somebody, while the others were changed. */
      goneCount: z.int(),
    }),
  },
  undoNumberStatusChange: {
    method: 'POST',
    path: '/api/premium-numbers/status/{id}/undo',
    summary:
      'Give the numbers of such a change the status that they had before; those that were changed since are left alone.',
    access: 'numbersManagement',
    isFresh: true,
    isLong: true,
    params: idParams,
    response: z.object({ restoredCount: z.int(), leftCount: z.int() }),
  },
})
