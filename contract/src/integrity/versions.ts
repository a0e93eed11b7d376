// Versions of the thresholds by which traffic is judged. A version is never edited; a setting says which one is live.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import { idParams } from '../fields.ts'
import { routes } from '../route.ts'

const count = z.int().min(1).max(1_000_000)
const times = z.number().min(1).max(1_000)
const share = z.number().min(0.001).max(1)

/** What a hold needs, by rule. A flag needs half of the first figure of its rule. */
export const thresholdsSchema = z.strictObject({
  block: z.strictObject({
    /** Senders times ten minutes of one block on one day. */
    slots: count,
    /** How many times what the block had on its highest day, here or at these numbers, and what most blocks have. */
    timesUsual: times,
    /** How many times what nine in ten of today's blocks have at most. */
    timesToday: times,
    sendersMin: count,
    /** A sender counts at most so often, so that one chatty person makes no block. */
    slotsOfSenderMax: z.int().min(1).max(144),
  }),
  paced: z.strictObject({
    senders: count,
    timesUsual: times,
    plus: z.int().min(0).max(1_000_000),
    /** Different ten minutes of the day, in so many different hours: a vote is a few minutes. */
    slots: z.int().min(1).max(144),
    hours: z.int().min(1).max(24),
  }),
  neighbours: z.strictObject({
    senders: count,
    /** Pairs in the same hundred, of pairs in the same thousand. By chance it is a tenth, however many write. */
    pairShare: share,
    timesUsual: times,
  }),
  madeUp: z.strictObject({
    /** New senders of one number who wrote in the client's quiet hours only, or are of blocks that nobody knows. */
    senders: count,
    /** So many of the busiest quiet hours are not counted: a vote is shorter. */
    voteHours: z.int().min(0).max(8),
    /** Of those in quiet hours on the number's highest day. */
    timesUsual: times,
    /** Of the number's senders, and of what is usual at the client. */
    strangeShare: share,
    timesStrange: times,
  }),
  clockwork: z.strictObject({
    senders: count,
    seconds: z.int().min(1).max(3_600),
    /** Of those who came back. */
    share,
  }),
  across: z.strictObject({ clients: z.int().min(2).max(1_000_000), messages: count }),
  newcomer: z.strictObject({
    share,
    topSenders: count,
    messages: count,
    days: z.int().min(1).max(28),
    /** A client is new so many days. */
    ageDays: z.int().min(1).max(365),
    messagesOfSender: count,
  }),
  list: z.strictObject({ messages: count }),
})
export type Thresholds = z.infer<typeof thresholdsSchema>

/** The first version. */
export const standardThresholds: Thresholds = {
  block: { slots: 40, timesUsual: 3, timesToday: 4, sendersMin: 4, slotsOfSenderMax: 12 },
  paced: { senders: 8, timesUsual: 3, plus: 3, slots: 5, hours: 4 },
  neighbours: { senders: 40, pairShare: 0.3, timesUsual: 2.5 },
  madeUp: { senders: 100, voteHours: 1, timesUsual: 4, strangeShare: 0.1, timesStrange: 3 },
  clockwork: { senders: 30, seconds: 180, share: 0.5 },
  across: { clients: 5, messages: 6 },
  newcomer: { share: 0.5, topSenders: 20, messages: 200, days: 7, ageDays: 30, messagesOfSender: 3 },
  list: { messages: 1 },
}

const versionSchema = z.object({
  id: z.int(),
  thresholds: thresholdsSchema,
  note: z.string(),
  /** Empty for the gateway's own. */
  madeBy: z.string(),
  madeAt: z.string(),
  /** The last time that it came into force; null for never, and for the first version. */
  liveFrom: z.string().nullable(),
  /** The second person, where it was looser than the one before; empty for none. */
  approvedBy: z.string(),
  isLive: z.boolean(),
  /** Whether it may take the place of the live one at once; a looser one needs a second admin and a wait. */
  isAsStrict: z.boolean(),
  /** Whether it may go live: it has a back-test that is done, was live before, or is the gateway's own. */
  isTried: z.boolean(),
  /** It was asked for and waits, as a change of the setting `integrity_version`; null when it does not. */
  pending: z
    .object({
      requestedBy: z.string(),
      requestedAt: z.string(),
      /** The second admin; empty until there is one. */
      approvedBy: z.string(),
      /** The earliest time. */
      beginsAt: z.string(),
      /** There is no second admin: it begins without one, after a longer wait. */
      isAlone: z.boolean(),
    })
    .nullable(),
})
export type IntegrityVersion = z.infer<typeof versionSchema>

/** The setting that says which version is live. */
export const versionSetting = 'integrity_version'

export const versionRoutes = routes({
  listVersions: {
    method: 'GET',
    path: '/api/integrity/versions',
    summary: 'The versions of the thresholds by which traffic is judged, the newest first.',
    access: 'holdReview',
    response: z.array(versionSchema),
  },
  addVersion: {
    method: 'POST',
    path: '/api/integrity/versions',
    summary: 'Write a new version. It judges nothing before it is live.',
    access: 'adminSettings',
    fresh: 'hour',
    body: z.object({ thresholds: thresholdsSchema, note: reasonSchema }),
    response: versionSchema,
    isIdempotent: true,
  },
  putVersionLive: {
    method: 'PUT',
    path: '/api/integrity/versions/{id}/live',
    summary:
      'Judge by this version from now on. It needs a back-test that is done, unless it was live before. A looser one waits for a second admin, who does the same, and for its time.',
    access: 'adminSettings',
    fresh: 'hour',
    params: idParams,
    response: z.array(versionSchema),
  },
})
