// Integrity holds: records that are not billed until a person has decided on them.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import {
  daySchema,
  idParams,
  idSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  userIdSchema,
} from '../fields.ts'
import { routes } from '../route.ts'
import { sentenceSchema } from '../sentences.ts'
import { caseLevels, caseStates, holdActions, holdStatuses } from '../vocabulary.ts'
import { zoneSchema } from '../zones.ts'

/** A record of a hold, or the one that it repeats. */
const heldRecordSchema = z.object({
  messageId: z.string(),
  createdAt: z.string(),
  sender: z.string(),
  gateway: z.string(),
  amountUsd: z.string(),
})
export type HoldRecord = z.infer<typeof heldRecordSchema>

const holdSchema = z.object({
  id: idSchema,
  /** The client who earns by it. */
  userId: z.int(),
  userName: z.string(),
  number: z.string(),
  /** The rule that found it. */
  rule: z.string(),
  /** Why it is held, in one sentence. */
  explanation: z.string(),
  explanationWords: z.array(sentenceSchema),
  /** How certain the rule is, 0 to 100; from 60 the record is held. */
  score: z.int(),
  amountUsd: z.string(),
  /** At most 100 of them. */
  messageIds: z.array(z.string()),
  /** The records in full, as many as `messageIds`. */
  records: z.array(heldRecordSchema),
  /** For a possible duplicate: the record it repeats. */
  original: heldRecordSchema.nullable(),
  status: z.enum(holdStatuses),
  /** Above the limit: who requested which decision, until a second person agrees. */
  asked: z
    .object({ action: z.enum(holdActions), by: z.string(), at: z.string(), reason: z.string() })
    .nullable(),
  decidedBy: z.string(),
  decidedAt: z.string().nullable(),
  decisionReason: z.string(),
  createdAt: z.string(),
})
export type Hold = z.infer<typeof holdSchema>

/** The largest number of holds that one call decides. */
export const holdsPerCallMax = 200

export const holdSorts = ['createdAt', 'number', 'userName', 'amount', 'status'] as const
const holdQuery = z.object({
  status: z.enum(holdStatuses).optional(),
  userId: userIdSchema.optional(),
  numberId: idSchema.optional(),
  /** In a client's name or a number; `#12` is the hold with this id. */
  search: searchSchema.optional(),
})

const integrityCaseSchema = z.object({
  id: idSchema,
  /** The rule that found it. */
  rule: z.string(),
  /** hold: it would be held; flag: half of what a hold needs. */
  level: z.enum(caseLevels),
  /** dry: nothing is held, in a dry run or for a flag. */
  state: z.enum(caseStates),
  userId: z.int(),
  userName: z.string(),
  /** The day that was judged, in UTC. */
  day: z.string(),
  /** What was found, in one sentence or two. */
  explanation: z.string(),
  explanationWords: z.array(sentenceSchema),
  senderCount: z.int(),
  /** Of its senders, their earlier messages that it reaches among them. */
  messageCount: z.int(),
  amountUsd: z.string(),
  /** The first of these messages. */
  firstAt: z.string(),
  /** The version of the thresholds by which it was found. */
  versionId: z.int(),
  createdAt: z.string(),
  /** What it holds, or held until somebody decided. */
  heldCount: z.int(),
  heldUsd: z.string(),
  /** What was paid, exported or on its way already: it stays so. */
  lateCount: z.int(),
  lateUsd: z.string(),
  /** Whether some of its messages are still to be held. */
  isBeingHeld: z.boolean(),
  /**
   * When it takes its messages off bills and payouts that are due, because their client sees that at once; nothing is paid
   * to the client before, and it cannot be refused. Null: there is nothing to take off, or it is done.
   */
  billedFrom: z.string().nullable(),
  /** Who looks at it; empty for nobody. */
  owner: z.string(),
  /** When people are reminded of it; null while it holds nothing. */
  dueAt: z.string().nullable(),
  /** Above the limit: who requested which decision, until a second person agrees. */
  asked: z
    .object({ action: z.enum(holdActions), by: z.string(), at: z.string(), reason: z.string() })
    .nullable(),
  decidedBy: z.string(),
  decidedAt: z.string().nullable(),
  decisionReason: z.string(),
  /** Until when its rule does not hold the same again; null where nobody wanted that. */
  rememberedUntil: z.string().nullable(),
})
export type IntegrityCase = z.infer<typeof integrityCaseSchema>

const caseViewSchema = integrityCaseSchema.extend({
  /** Ten minutes with a message, of all senders, by hour of the judged day in UTC. */
  hours: z.array(z.int()),
  /** The least and the most of each hour on the days that count as usual; null without such days. */
  usualHours: z.array(z.object({ least: z.int(), most: z.int() })).nullable(),
  /** The same of an ordinary day of this client: the middling one of those. */
  ordinaryDay: z.object({ day: z.string(), hours: z.array(z.int()) }).nullable(),
  /** The newest of the messages that it holds, at most 20. */
  messages: z.array(heldRecordSchema.extend({ number: z.string() })),
})
export type IntegrityCaseView = z.infer<typeof caseViewSchema>

const ruleMonthSchema = z.object({
  rule: z.string(),
  /** yyyy-MM, by the day that was judged. */
  month: z.string(),
  cases: z.int(),
  heldCount: z.int(),
  heldUsd: z.string(),
  /** Of these cases: what was refused, what was released (a false alarm), and what waits. */
  refusedUsd: z.string(),
  releasedUsd: z.string(),
  openUsd: z.string(),
  /** On average from the case to the decision; null without one. */
  hoursToDecision: z.number().nullable(),
})
export type RuleMonth = z.infer<typeof ruleMonthSchema>

/** How long a case that is released can keep its rule from holding the same. */
export const exemptionDays = 90
/** After so many hours people are reminded of a case. */
export const caseDueHours = 48

const caseSenderSchema = z.object({
  sender: z.string(),
  /** The sender without its last four digits; a sender that is no telephone number is one of its own. */
  block: z.string(),
  messageCount: z.int(),
  amountUsd: z.string(),
  firstAt: z.string(),
  lastAt: z.string(),
})
export type CaseSender = z.infer<typeof caseSenderSchema>

/** The largest number of senders of a case that are shown. */
export const caseSendersMax = 100

export const caseRoutes = routes({
  listCases: {
    method: 'GET',
    path: '/api/integrity/cases',
    summary:
      'What the rules of traffic integrity found, the newest first; those that are open: what is due first, first.',
    access: 'holdReview',
    query: pageQuery.extend({
      level: z.enum(caseLevels).optional(),
      state: z.enum(caseStates).optional(),
      userId: userIdSchema.optional(),
      /** The first and the last day of the decision. */
      decidedFrom: daySchema.optional(),
      decidedTo: daySchema.optional(),
      /** The time zone of the days; UTC by default. */
      zone: zoneSchema.optional(),
    }),
    response: z.array(integrityCaseSchema),
    isPaged: true,
  },
  listCaseSenders: {
    method: 'GET',
    path: '/api/integrity/cases/{id}/senders',
    summary: 'The senders that a case names, in the order of their numbers, at most 100.',
    access: 'holdReview',
    params: idParams,
    response: z.array(caseSenderSchema),
  },
  getCase: {
    method: 'GET',
    path: '/api/integrity/cases/{id}',
    summary: 'A case with its evidence: the hours beside usual ones, and messages that it holds.',
    access: 'holdReview',
    params: idParams,
    response: caseViewSchema,
  },
  decideCase: {
    method: 'PUT',
    path: '/api/integrity/cases/{id}/decide',
    summary:
      'Release or refuse all that a case holds, as one act. Above the limit a second person must agree. Released, its rule can be kept from holding the same for 90 days.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    body: z.object({
      action: z.enum(holdActions),
      reason: reasonSchema,
      /** Only with a release. */
      remember: z.boolean().default(false),
    }),
    response: integrityCaseSchema,
    isIdempotent: true,
  },
  takeCase: {
    method: 'PUT',
    path: '/api/integrity/cases/{id}/take',
    summary: 'Look at an open case yourself, so that others know.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    response: integrityCaseSchema,
  },
  extendCase: {
    method: 'PUT',
    path: '/api/integrity/cases/{id}/extend',
    summary: 'Be reminded of an open case 48 hours later, with the reason.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: integrityCaseSchema,
  },
  reportCases: {
    method: 'GET',
    path: '/api/integrity/report',
    summary: 'What each rule held, by month: what of it was refused, and what was released, a false alarm.',
    access: 'holdReview',
    response: z.array(ruleMonthSchema),
    onReplica: 'current',
  },
  exportCaseReport: {
    method: 'GET',
    path: '/api/integrity/report/export',
    summary: 'What each rule held, by month, as CSV.',
    access: 'holdReview',
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
})

export const holdRoutes = routes({
  listHolds: {
    method: 'GET',
    path: '/api/holds',
    summary: 'Records held for review, by default the newest first.',
    access: 'holdReview',
    query: pageQuery.extend({
      ...holdQuery.shape,
      sort: z.enum(holdSorts).default('createdAt'),
      order: orderSchema,
    }),
    response: z.array(holdSchema),
    isPaged: true,
  },
  exportHolds: {
    method: 'GET',
    path: '/api/holds/export',
    summary: 'Records held for review, as CSV.',
    access: 'holdReview',
    query: holdQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  releaseHold: {
    method: 'PUT',
    path: '/api/holds/{id}/release',
    summary: 'Let a held amount count again, in the open period. Above the limit a second person must agree.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: holdSchema,
    isIdempotent: true,
  },
  confirmHold: {
    method: 'PUT',
    path: '/api/holds/{id}/confirm',
    summary: 'Refuse a held amount: it is never paid. Above the limit a second person must agree.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: holdSchema,
    isIdempotent: true,
  },
  decideHolds: {
    method: 'POST',
    path: '/api/holds/decide',
    summary: 'Release or refuse many at once: all or none. Their sum is what the limit looks at.',
    access: 'holdReview',
    fresh: 'hour',
    body: z.object({
      ids: z.array(idSchema).min(1).max(holdsPerCallMax),
      action: z.enum(holdActions),
      reason: reasonSchema,
    }),
    response: z.array(holdSchema),
    isIdempotent: true,
  },
})
