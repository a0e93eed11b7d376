// The close of a period: what may hold it up, what came to a stop, and what another rate would have brought.
import { z } from 'zod'
import { reasonSchema } from './debts.ts'
import { userIdSchema, wholeNumber } from '../fields.ts'
import { rateInputSchema } from '../money.ts'
import { routes } from '../route.ts'
import { sentenceSchema } from '../sentences.ts'

/** What a period would have come to under another rate. Differences are signed: above 0 clients would get more. */
const whatIfSchema = z.object({
  periodStart: z.string(),
  periodEnd: z.string(),
  isOpen: z.boolean(),
  rate: z.string(),
  smsCount: z.int(),
  before: z.string(),
  after: z.string(),
  difference: z.string(),
  clientCount: z.int(),
  /** The 500 with the largest differences. */
  clients: z.array(
    z.object({
      userId: z.int(),
      userName: z.string(),
      smsCount: z.int(),
      before: z.string(),
      after: z.string(),
      difference: z.string(),
    }),
  ),
})
export type WhatIf = z.infer<typeof whatIfSchema>

export const closeRoutes = routes({
  whatIf: {
    method: 'GET',
    path: '/api/billing/what-if',
    summary: "A period's bills as if this had been the global rate, or one client's own, all the time.",
    access: 'adminSettings',
    query: z.object({
      rate: rateInputSchema,
      /** 0: the open period; 1: the last closed one, and so on. */
      periodsBack: wholeNumber(0, 520).default(0),
      userId: userIdSchema.optional(),
    }),
    response: whatIfSchema,
    isHeavy: true,
  },
  allowClose: {
    method: 'POST',
    path: '/api/billing/close/allow',
    summary: 'Let the periods that are due now be closed, although they wait for a person.',
    access: 'moneyAdjust',
    fresh: 'now',
    body: z.object({
      /** As many as the person saw: with another number the word is refused. */
      cycleCount: z.int().positive(),
      reason: reasonSchema,
    }),
  },
  listParked: {
    method: 'GET',
    path: '/api/billing/parked',
    summary: 'Accounts that get no money, because their ledger did not balance at the last check.',
    access: 'paymentManagement',
    response: z.array(
      z.object({
        userId: z.int(),
        userName: z.string(),
        reason: z.string(),
        words: z.array(sentenceSchema),
        parkedAt: z.string(),
      }),
    ),
  },
})
