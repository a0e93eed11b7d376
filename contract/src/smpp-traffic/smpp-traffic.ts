// What a supplier sees of its own: what it sent over SMPP, what was refused and why, its binds, and one message by the id
// that it was given. Staff see the same of each account.
import { z } from 'zod'
import { userIdParams } from '../fields.ts'
import { recordSchema } from '../records/records.ts'
import { routes } from '../route.ts'
import { bindSchema } from '../gateway/gateway.ts'
import { bindRefusalReasons, messageRefusalReasons, receiptStates } from '../vocabulary.ts'

/** Over how many hours, the present one included; what is older than 14 days is not kept. */
const ownTrafficHours = ['24', '168'] as const

/** A command_status of SMPP 3.4 §5.1.3 as number, and in words. */
const answeredWith = { status: z.int(), statusText: z.string() }

const refusedMessagesSchema = z.object({
  reason: z.enum(messageRefusalReasons),
  ...answeredWith,
  count: z.int(),
  lastAt: z.string(),
  /** By the hour, the oldest first. */
  hours: z.array(z.int()),
})

const ownTrafficSchema = z.object({
  /** When the first hour begins; each array of hours has one figure for each hour from then on. */
  from: z.string(),
  /** Messages that were acknowledged, by the hour in which they were stored. */
  accepted: z.array(z.int()),
  /** What was refused, by reason and status, the most first. */
  refused: z.array(refusedMessagesSchema),
  /** The destinations that were refused most, at most 100. */
  refusedNumbers: z.array(
    z.object({
      /** As it was sent; masked for the test role. `other`: so many more that they are counted together. */
      number: z.string(),
      reason: z.enum(messageRefusalReasons),
      ...answeredWith,
      count: z.int(),
      lastAt: z.string(),
    }),
  ),
})
export type OwnTraffic = z.infer<typeof ownTrafficSchema>

const ownBindsSchema = z.object({
  /** What the account binds as; empty when it has never had SMPP access. */
  systemId: z.string(),
  hasAccess: z.boolean(),
  /** Over the last minute and all binds. */
  messagesPerSecond: z.number(),
  /** Messages a second that it may send; 0 is no limit. */
  throughput: z.int(),
  /** Messages of one bind that may be unanswered. */
  window: z.int(),
  maxConnections: z.int(),
  receipts: z.object({
    /** Delivery receipts that wait for a bind or for another try; counted up to 5,000. */
    waiting: z.int(),
    /** Of the last 24 hours. */
    taken: z.int(),
    notTaken: z.int(),
  }),
  /** The newest first. */
  binds: z.array(bindSchema.omit({ username: true, userId: true, node: true })),
})
export type OwnBinds = z.infer<typeof ownBindsSchema>

const ownRefusedBindSchema = z.object({
  systemId: z.string(),
  address: z.string(),
  reason: z.enum(bindRefusalReasons),
  ...answeredWith,
  count: z.int(),
  lastAt: z.string(),
})
export type OwnRefusedBind = z.infer<typeof ownRefusedBindSchema>

/** A message as its sender may see it: never whose number it is, nor what it earns. */
const ownMessageSchema = recordSchema
  .pick({
    messageId: true,
    createdAt: true,
    phoneNumber: true,
    sender: true,
    status: true,
    dataCoding: true,
    part: true,
    smsCount: true,
  })
  .extend({
    /** When its state last changed. */
    updatedAt: z.string(),
    /** The system_id that it was sent with. */
    systemId: z.string(),
    receipt: z.object({
      state: z.enum(receiptStates),
      /** When it was last tried. */
      at: z.string().nullable(),
      attempts: z.int(),
      /** What went wrong at the last try; empty for nothing. */
      error: z.string(),
    }),
  })
export type OwnMessage = z.infer<typeof ownMessageSchema>

/** A message_id as an answer named it: in every form letters and digits alone. SMPP 3.4 §5.2.23: at most 64. */
export const answeredIdSchema = z
  .string()
  .trim()
  .regex(/^[0-9A-Za-z]{1,64}$/, 'Enter the message_id of the answer: letters and digits')

const trafficQuery = z.object({ hours: z.enum(ownTrafficHours).default('24') })

export const ownTrafficRoutes = routes({
  getOwnTraffic: {
    method: 'GET',
    path: '/api/user/traffic',
    summary: 'What one sent over SMPP: accepted by the hour, refused by reason and command_status.',
    access: 'signedIn',
    scope: 'traffic:read',
    // A supplier that tries many numbers has hundreds of thousands of counts a week.
    isHeavy: true,
    query: trafficQuery,
    response: ownTrafficSchema,
    onReplica: 'lagging',
  },
  getOwnBinds: {
    method: 'GET',
    path: '/api/user/binds',
    summary: "One's own binds on every node, what they carry now, and what the account allows.",
    access: 'signedIn',
    scope: 'traffic:read',
    response: ownBindsSchema,
  },
  listOwnRefusedBinds: {
    method: 'GET',
    path: '/api/user/refused-binds',
    summary: "Binds of the last 7 days that were refused under one's own system_id, the latest first.",
    access: 'signedIn',
    scope: 'traffic:read',
    response: z.array(ownRefusedBindSchema),
  },
  findOwnMessages: {
    method: 'GET',
    path: '/api/user/messages/{id}',
    summary:
      'The messages that one sent over SMPP and that were answered with this message_id, in any of its forms; short ids repeat. The newest first.',
    access: 'signedIn',
    scope: 'traffic:read',
    params: z.object({ id: answeredIdSchema }),
    response: z.array(ownMessageSchema),
  },
})

/** The same of one account, for staff who help it; an admin's is for admins alone. */
export const supplierTrafficRoutes = routes({
  getSupplierTraffic: {
    method: 'GET',
    path: '/api/users/{id}/traffic',
    summary:
      'What an account sent over SMPP, as it sees it: accepted by the hour, refused by reason and status.',
    access: 'userManagement',
    isHeavy: true,
    params: userIdParams,
    query: trafficQuery,
    response: ownTrafficSchema,
    onReplica: 'lagging',
  },
  getSupplierBinds: {
    method: 'GET',
    path: '/api/users/{id}/binds',
    summary: 'The binds of an account on every node, as it sees them: what they carry, and what it may.',
    access: 'userManagement',
    params: userIdParams,
    response: ownBindsSchema,
  },
  listSupplierRefusedBinds: {
    method: 'GET',
    path: '/api/users/{id}/refused-binds',
    summary: "Binds of the last 7 days that were refused under the account's system_id, the latest first.",
    access: 'userManagement',
    params: userIdParams,
    response: z.array(ownRefusedBindSchema),
  },
  findSupplierMessages: {
    method: 'GET',
    path: '/api/users/{id}/messages/{messageId}',
    summary: 'The messages that the account sent over SMPP and that were answered with this message_id.',
    access: 'userManagement',
    params: userIdParams.extend({ messageId: answeredIdSchema }),
    response: z.array(ownMessageSchema),
  },
})
