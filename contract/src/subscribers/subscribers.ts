// A subscriber is a person who sent messages to our numbers. What is stored under his number is exported
// and erased on request.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import { idParams, idSchema, numberInputSchema } from '../fields.ts'
import { routes } from '../route.ts'
import { settingChangeActions } from '../vocabulary.ts'

/** What is stored under a subscriber's number, in the order of the export. */
export const subscriberKinds = [
  'record',
  'longMessage',
  'refusedMessage',
  'senderDay',
  'case',
  'listedSender',
  'disputeLine',
  'disputedRecord',
  'backTestSender',
  'sentMessage',
  'recordedPdu',
  'deadLetter',
] as const
export type SubscriberKind = (typeof subscriberKinds)[number]

/** So many of a kind are counted. */
export const subscriberCountMax = 1_000

/** The digits of a telephone number: a short code is no subscriber. */
const subscriberNumber = numberInputSchema.refine(
  (digits) => digits.length >= 7,
  'Enter an international number, such as +44 7700 900123',
)

const findingsSchema = z.object({
  /** The digits that were looked for. */
  number: z.string(),
  /** Only kinds that were found. */
  kinds: z.array(
    z.object({
      kind: z.enum(subscriberKinds),
      count: z.int(),
      /** Counting ended here, and there may be more. */
      isAtLeast: z.boolean(),
    }),
  ),
})
export type SubscriberFindings = z.infer<typeof findingsSchema>

/** requested: waits for a second admin; running: a job replaces the number. */
const erasureStates = ['requested', 'running', 'done', 'cancelled'] as const

const erasureSchema = z.object({
  id: idSchema,
  /** In full until it is erased or cancelled, then as the audit log has it. */
  number: z.string(),
  reason: z.string(),
  state: z.enum(erasureStates),
  /** case: an open case or a dispute goes by the number; statements: some are to be signed; null while nothing is in the way. */
  waitsFor: z.enum(['case', 'statements']).nullable(),
  requestedBy: z.string(),
  requestedAt: z.string(),
  /** Empty until a second admin has approved it. */
  approvedBy: z.string(),
  /** What stands in the place of the number; empty until it is approved. */
  pseudonym: z.string(),
  doneAt: z.string().nullable(),
  /** Replaced so far: messages, and rows of other tables. */
  recordCount: z.int(),
  otherCount: z.int(),
})
export type Erasure = z.infer<typeof erasureSchema>

export const subscribersRoutes = routes({
  findSubscriber: {
    method: 'POST',
    path: '/api/subscribers/find',
    summary: "How much is stored under a subscriber's number, by kind; at most 1,000 of each are counted.",
    access: 'adminSettings',
    fresh: 'hour',
    isHeavy: true,
    body: z.object({ number: subscriberNumber }),
    response: findingsSchema,
    onReplica: 'current',
  },
  exportSubscriber: {
    method: 'POST',
    path: '/api/subscribers/export',
    summary:
      "Everything that is stored under a subscriber's number, as JSON lines: each has its `kind`. Texts that are still kept are in it. The download is written to the audit log, with the number masked.",
    access: 'adminSettings',
    fresh: 'now',
    isHeavy: true,
    body: z.object({ number: subscriberNumber }),
    stream: 'file',
  },
  listErasures: {
    method: 'GET',
    path: '/api/subscribers/erasures',
    summary: 'The newest erasures of subscribers, with their states.',
    access: 'adminSettings',
    response: z.array(erasureSchema),
  },
  requestErasure: {
    method: 'POST',
    path: '/api/subscribers/erasures',
    summary:
      "Ask for the erasure of a subscriber's number. A second admin approves it; then a job replaces it by a pseudonym. The reason is kept, so it must not have the number.",
    access: 'adminSettings',
    fresh: 'now',
    body: z.object({ number: subscriberNumber, reason: reasonSchema }),
    response: erasureSchema,
    isIdempotent: true,
  },
  decideErasure: {
    method: 'PUT',
    path: '/api/subscribers/erasures/{id}',
    summary:
      'A second admin approves an erasure, which cannot be taken back; or any admin cancels one that is not approved.',
    access: 'adminSettings',
    fresh: 'now',
    params: idParams,
    body: z.object({ action: z.enum(settingChangeActions) }),
    response: erasureSchema,
  },
})
