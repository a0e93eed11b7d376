// A version of the thresholds, tried on days that are over: what it would have held, by client and rule.
import { z } from 'zod'
import { idParams, idSchema, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'

/** The most days of one back-test. Senders are counted for 35 days, and a day is frozen after two. */
export const backTestDaysMax = 28

const heldFields = {
  messageCount: z.int(),
  amountUsd: z.string(),
  /** Of the amount, what people have refused and released since. */
  refusedUsd: z.string(),
  releasedUsd: z.string(),
}
const backTestSchema = z.object({
  id: idSchema,
  versionId: z.int(),
  fromDay: z.string(),
  untilDay: z.string(),
  madeBy: z.string(),
  madeAt: z.string(),
  isDone: z.boolean(),
  /** Client days that are judged, and all of them. */
  judgedCount: z.int(),
  dayCount: z.int(),
  /** Of all clients; each message counts once. Zero until it is done. */
  held: z.object(heldFields),
  earnedUsd: z.string(),
  /** By rule. A message that several rules name counts for each. */
  rules: z.array(z.object({ rule: z.string(), clientCount: z.int(), ...heldFields })),
})
export type BackTest = z.infer<typeof backTestSchema>

const clientSumSchema = z.object({
  userId: z.int(),
  userName: z.string(),
  /** Empty for all rules together. */
  rule: z.string(),
  senderCount: z.int(),
  earnedUsd: z.string(),
  ...heldFields,
})
export type BackTestSum = z.infer<typeof clientSumSchema>

export const backTestRoutes = routes({
  listBackTests: {
    method: 'GET',
    path: '/api/integrity/back-tests',
    summary: 'The last 20 back-tests, the newest first.',
    access: 'holdReview',
    response: z.array(backTestSchema),
  },
  addBackTest: {
    method: 'POST',
    path: '/api/integrity/back-tests',
    summary: 'Try a version on the last frozen days, 28 at most. It holds nothing and makes no case.',
    access: 'holdReview',
    fresh: 'hour',
    body: z.object({
      versionId: wholeNumber(1, 2_147_483_647),
      days: wholeNumber(1, backTestDaysMax).default(backTestDaysMax),
    }),
    response: backTestSchema,
    isIdempotent: true,
  },
  listBackTestClients: {
    method: 'GET',
    path: '/api/integrity/back-tests/{id}/clients',
    summary: 'What a back-test would have held, by client and rule, the most first; at most 500.',
    access: 'holdReview',
    params: idParams,
    response: z.array(clientSumSchema),
  },
})
