// How an account may bind and send over SMPP: set by staff, at work within 5 s.
import { z } from 'zod'
import { userIdParams, versionSchema, wholeNumber } from '../fields.ts'
import { routes } from '../route.ts'
import { schemaMessage } from '../schema-messages.ts'
import { inEnglish, sentence } from '../sentences.ts'
import { defaultAlphabets, messageIdForms, treatedVersions } from '../vocabulary.ts'

/** Networks of one account; a carrier has a handful of sites. */
const allowedCidrsMax = 50

const networkSchema = z.union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()])

/** The message names the first entry that is no network: in a form one field contains all of them. */
export const allowedCidrsSchema = z
  .array(z.string().trim().max(43, 'Enter networks such as 192.0.2.0/24 or 2001:db8::/32'))
  .max(allowedCidrsMax, schemaMessage(sentence('At most {count} networks', { count: allowedCidrsMax })))
  .superRefine((cidrs, context) => {
    const bad = cidrs.find((cidr) => !networkSchema.safeParse(cidr).success)
    if (bad === undefined) return
    const words = sentence('“{bad}” is no network: enter one such as 192.0.2.0/24 or 2001:db8::/32', { bad })
    context.addIssue({ code: 'custom', message: inEnglish(words), params: { words } })
  })

/** Messages of a session that may be unanswered. */
export const windowSchema = wholeNumber(
  1,
  1_000,
  'Enter a number from 1 to 1000',
  'Enter a number from 1 to 1000',
)
/** Seconds of silence before an enquire_link. */
export const enquireLinkSchema = wholeNumber(5, 3_600, 'Enter seconds', 'From 5 to 3600 seconds')

/** SMPP 3.4 §7.2, inactivity_timer. Less than a minute would end sessions between two messages. */
const inactivitySchema = wholeNumber(0, 86_400, 'Enter seconds', 'From 60 to 86400 seconds, or 0').refine(
  (seconds) => seconds === 0 || seconds >= 60,
  'From 60 to 86400 seconds, or 0',
)

/** SMPP 3.4 §5.2.1: at most 15 characters. */
const systemIdSchema = z
  .string()
  .trim()
  .min(1, 'Enter a system id')
  .max(15, 'At most 15 characters')
  .regex(/^[A-Za-z0-9._@-]*$/, 'Use letters without accents, digits, dots, dashes, underscores and @')

const smppProfileSchema = z.object({
  /** What the account binds as; empty until it has SMPP access for the first time. */
  systemId: z.string(),
  /** Networks that it may bind from; none is any. */
  allowedCidrs: z.array(z.string()),
  /** Messages a second over all binds; 0 is no limit. */
  throughput: z.int(),
  /** Whether it binds over TLS alone. */
  tlsOnly: z.boolean(),
  /** Messages of one session that may be unanswered. */
  window: z.int(),
  /** Deliveries to one session that may be unanswered. */
  deliveryWindow: z.int(),
  /** How its data_coding 0 is read. */
  defaultAlphabet: z.enum(defaultAlphabets),
  /** Whether reserved values and times in the past are refused; otherwise they are taken. */
  isStrict: z.boolean(),
  /** Seconds of silence before a session is asked whether it is alive. */
  enquireLinkSeconds: z.int(),
  /** Seconds without a message before a session ends, however often it is asked; 0 is never. */
  inactivitySeconds: z.int(),
  /** How it gets its message ids; at most 8 characters when it is treated as 3.3. */
  messageIdForm: z.enum(messageIdForms),
  interfaceVersion: z.enum(treatedVersions),
  /** The account's version: send it back with an edit, so that a save on an old version is refused. */
  version: z.int(),
})
export type SmppProfile = z.infer<typeof smppProfileSchema>

/** What to change; a field left out stays. */
export const editSmppProfileSchema = z.object({
  systemId: systemIdSchema.optional(),
  allowedCidrs: allowedCidrsSchema.optional(),
  throughput: wholeNumber(0, 100_000, 'Enter messages a second', 'From 0 to 100000').optional(),
  tlsOnly: z.boolean().optional(),
  window: windowSchema.optional(),
  deliveryWindow: windowSchema.optional(),
  defaultAlphabet: z.enum(defaultAlphabets).optional(),
  isStrict: z.boolean().optional(),
  enquireLinkSeconds: enquireLinkSchema.optional(),
  inactivitySeconds: inactivitySchema.optional(),
  messageIdForm: z.enum(messageIdForms).optional(),
  interfaceVersion: z.enum(treatedVersions).optional(),
  version: versionSchema,
})

export const smppProfileRoutes = routes({
  getSmppProfile: {
    method: 'GET',
    path: '/api/users/{id}/smpp-profile',
    summary: 'How an account may bind and send over SMPP.',
    access: 'userManagement',
    params: userIdParams,
    response: smppProfileSchema,
  },
  editSmppProfile: {
    method: 'PUT',
    path: '/api/users/{id}/smpp-profile',
    summary:
      'Change how an account may bind and send; bound sessions that no longer fit are put out within 5 s.',
    access: 'userManagement',
    fresh: 'hour',
    params: userIdParams,
    body: editSmppProfileSchema,
    response: smppProfileSchema,
  },
})
