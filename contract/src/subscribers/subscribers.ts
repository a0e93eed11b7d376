// A subscriber is a person who sent messages to our numbers. What is stored under his number is exported on request.
import { z } from 'zod'
import { numberInputSchema } from '../fields.ts'
import { routes } from '../route.ts'

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
})
