// Disputes: what a carrier does not pay for, as a file, and the messages that were found for it.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import { idParams, idSchema, lineSchema, pageQuery, userIdSchema } from '../fields.ts'
import { importUpload } from '../numbers/numbers.ts'
import { routes } from '../route.ts'
import { messageFields } from '../sentences.ts'

/** Lines of one file. */
export const disputeLinesMax = 20_000

/** What became of a line: nothing found, fewer or more than it says, all of it named before, or as it says. */
export const disputeOutcomes = ['none', 'differs', 'twice', 'matched'] as const

const disputeSchema = z.object({
  id: idSchema,
  carrier: z.string(),
  fileName: z.string(),
  madeBy: z.string(),
  madeAt: z.string(),
  /** Whether all its messages are looked up. */
  isMatched: z.boolean(),
  lineCount: z.int(),
  /** Lines by what became of them, as far as it is matched. */
  noneCount: z.int(),
  twiceLineCount: z.int(),
  /** As the file says, of the lines that say it. */
  claimedCount: z.int(),
  /** Messages that belong to this dispute: each counts once, for the first line that names it. */
  messageCount: z.int(),
  amountUsd: z.string(),
  /** Messages that another line, of this file or of an earlier one, had named before. */
  twiceCount: z.int(),
  /** Who made cases of it; empty for nobody yet. */
  openedBy: z.string(),
})
export type Dispute = z.infer<typeof disputeSchema>

const disputeLineSchema = z.object({
  line: z.int(),
  number: z.string(),
  /** Empty for all senders. */
  sender: z.string(),
  from: z.string(),
  /** The first moment after it. */
  until: z.string(),
  claimedCount: z.int().nullable(),
  /** In the carrier's money. */
  claimedAmount: z.string().nullable(),
  messageCount: z.int(),
  amountUsd: z.string(),
  twiceCount: z.int(),
  outcome: z.enum(disputeOutcomes),
})
export type DisputeLine = z.infer<typeof disputeLineSchema>

const disputeClientSchema = z.object({
  userId: z.int(),
  userName: z.string(),
  messageCount: z.int(),
  amountUsd: z.string(),
  /** Of it, what is paid: a case cannot hold it. */
  paidCount: z.int(),
  paidUsd: z.string(),
  caseId: idSchema.nullable(),
  /** The correction that was proposed for what is paid. */
  adjustmentId: idSchema.nullable(),
})
export type DisputeClient = z.infer<typeof disputeClientSchema>

/** Faulty lines that a report names. */
export const disputeFaultsMax = 500
const disputeReportSchema = z.object({
  lineCount: z.int(),
  /** Of numbers that this gateway never had. */
  unknownNumberCount: z.int(),
  faults: z.array(z.object({ line: z.int(), number: z.string(), ...messageFields })),
  faultCount: z.int(),
  /** Null for a check, and when a line is faulty: then nothing is stored. */
  disputeId: idSchema.nullable(),
})
export type DisputeReport = z.infer<typeof disputeReportSchema>

export const disputeRoutes = routes({
  importDispute: {
    method: 'POST',
    path: '/api/integrity/disputes',
    summary:
      'A file of what a carrier does not pay for, all lines or none: columns number, from, to, sender, count, amount. Its messages are looked up afterwards. `dryRun` only reports.',
    access: 'holdReview',
    fresh: 'hour',
    hasDryRun: true,
    query: z.object({
      carrier: lineSchema(100).refine((text) => text !== '', 'Enter the carrier'),
      dryRun: z.enum(['true', 'false']).default('false'),
    }),
    ...importUpload,
    isLong: true,
    response: disputeReportSchema,
    isIdempotent: true,
  },
  listDisputes: {
    method: 'GET',
    path: '/api/integrity/disputes',
    summary: 'Disputes of carriers, the newest first.',
    access: 'holdReview',
    query: pageQuery,
    response: z.array(disputeSchema),
    isPaged: true,
  },
  listDisputeLines: {
    method: 'GET',
    path: '/api/integrity/disputes/{id}/lines',
    summary: 'The lines of a dispute, each with what was found for it.',
    access: 'holdReview',
    params: idParams,
    query: pageQuery.extend({ outcome: z.enum(disputeOutcomes).optional() }),
    response: z.array(disputeLineSchema),
    isPaged: true,
  },
  listDisputeClients: {
    method: 'GET',
    path: '/api/integrity/disputes/{id}/clients',
    summary: 'The clients who earned by the messages of a dispute, and what of it is paid.',
    access: 'holdReview',
    params: idParams,
    response: z.array(disputeClientSchema),
  },
  openDisputeCases: {
    method: 'POST',
    path: '/api/integrity/disputes/{id}/cases',
    summary: 'Make a case for each client whose messages a matched dispute names and that are not all paid.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    body: z.object({}),
    response: z.array(disputeClientSchema),
    isIdempotent: true,
  },
  correctDispute: {
    method: 'POST',
    path: '/api/integrity/disputes/{id}/corrections',
    summary:
      'Propose a correction by what a client was paid for the messages of a dispute. Above the limit a second person accepts it.',
    access: 'moneyAdjust',
    fresh: 'hour',
    params: idParams,
    body: z.object({ userId: userIdSchema, reason: reasonSchema }),
    response: z.array(disputeClientSchema),
    isIdempotent: true,
  },
})
