// What ranges brought on some days: the figures beside a range, each with the messages behind it.
import { z } from 'zod'
import { daySchema, idSchema } from '../fields.ts'
import { rangeQuery } from '../numbers/ranges.ts'
import { routes } from '../route.ts'

/** Ranges with messages beyond this are added to the total and have no row of their own. */
export const earningRangesMax = 5_000

const figures = {
  count: z.int(),
  /** What clients earned; for a client, what it earned itself. */
  amountUsd: z.string(),
  /**
   * What suppliers pay for the messages with a purchase price, less what clients earn by these, in USDT. Null without
   * purchase prices, and for whoever may not see margins.
   */
  margin: z.string().nullable(),
}

export const rangeEarningsRoutes = routes({
  getRangeEarnings: {
    method: 'GET',
    path: '/api/ranges/earnings',
    summary:
      'What the ranges that the filters match brought on some days (UTC, both included), those with messages, the most first. A client sees its own part; margins are for admins.',
    access: 'ranges',
    query: rangeQuery.extend({
      /** One range alone. */
      id: idSchema.optional(),
      dateFrom: daySchema,
      dateTo: daySchema,
    }),
    response: z.object({
      total: z.object(figures),
      rows: z.array(z.object({ id: idSchema, ...figures })),
      /** How many ranges with messages there are beyond those rows. */
      left: z.int(),
    }),
    isHeavy: true,
    onReplica: 'lagging',
  },
})
