// What is wrong now and what cures it; the rules by which people are told; their bell.
import { z } from 'zod'
import {
  idParams,
  idSchema,
  instantSchema,
  lineSchema,
  okSchema,
  pageQuery,
  versionSchema,
  wholeNumber,
} from '../fields.ts'
import { routes } from '../route.ts'
import { inEnglish, sentenceSchema, type Sentence } from '../sentences.ts'
import type { Permission } from '../vocabulary.ts'

/** Every kind of trouble, with who may see it. The page needs `trouble` besides. */
export const troubleKinds = {
  refused_number: 'trouble',
  refused_traffic: 'trouble',
  refused_bind: 'trouble',
  connection: 'interconnectionApi',
  endpoint: 'interconnectionApi',
  cdr_file: 'interconnectionApi',
  provider: 'httpProviders',
  silence: 'trouble',
  burst: 'trouble',
  parked_account: 'paymentManagement',
  cycle: 'paymentManagement',
  wallet: 'paymentManagement',
  late_payment: 'paymentManagement',
  approval: 'paymentManagement',
  sign_up: 'userManagement',
  number_request: 'numbersManagement',
} as const satisfies Record<string, Permission>
export type TroubleKind = keyof typeof troubleKinds
export const troubleKindNames = Object.keys(troubleKinds) as [TroubleKind, ...TroubleKind[]]

/** From a matter that waits to one that loses messages or money. */
export const troubleSeverities = ['notice', 'warning', 'critical'] as const
export type TroubleSeverity = (typeof troubleSeverities)[number]

/** How many hours {@link troubleSchema} counts. */
export const troubleHours = 24

const acknowledgementSchema = z.object({
  by: z.string(),
  at: z.string(),
  /** Null: until it gets worse or goes away. */
  until: z.string().nullable(),
})

/** What `name`, `what` and `advice` are made of. No `name`: it is a name, the same in each language. */
const wordsSchema = z.object({
  name: sentenceSchema.optional(),
  what: z.array(sentenceSchema),
  advice: sentenceSchema,
})

const troubleSchema = z.object({
  /** The same as long as it is the same trouble: the kind, and what it is about. */
  key: z.string(),
  kind: z.enum(troubleKindNames),
  severity: z.enum(troubleSeverities),
  /** What it is about, for people: a number, a supplier, the name of a link. */
  name: z.string(),
  /** What happened. */
  what: z.string(),
  /** What to do about it. */
  advice: z.string(),
  words: wordsSchema,
  since: z.string(),
  last: z.string(),
  /** How often within the last 24 hours, or how many wait; null where nothing is counted. */
  count: z.int().nullable(),
  /** Of each of the last 24 hours, the oldest first; empty where nothing is counted by the hour. */
  hours: z.array(z.int()),
  /** Ids and names that lead to its cure: `number`, `systemId`, `address`, `userId`, `endpointId` … */
  about: z.record(z.string(), z.string()),
  acknowledged: acknowledgementSchema.nullable(),
})
export type Trouble = z.infer<typeof troubleSchema>
/** A trouble as a slice reports it. */
export type FoundTrouble = Omit<Trouble, 'acknowledged'>

const unlistedSchema = z.object({
  kind: z.enum(troubleKindNames),
  severity: z.enum(troubleSeverities),
  count: z.int(),
})
/** How many troubles there are that a list leaves out, because it ends at its limit. */
export type UnlistedTroubles = z.infer<typeof unlistedSchema>

/** What a slice reports. */
export interface FoundTroubles {
  readonly troubles: readonly FoundTrouble[]
  readonly unlisted: readonly UnlistedTroubles[]
}

/** What is left out of `total` when so many are listed; nothing when all are. */
export function unlistedOf(
  kind: TroubleKind,
  severity: TroubleSeverity,
  { total = 0, listed }: { readonly total: number | undefined; readonly listed: number },
): UnlistedTroubles[] {
  return total > listed ? [{ kind, severity, count: total - listed }] : []
}

interface TroubleTexts {
  /** A text is a name, of a supplier or an account. */
  readonly name: string | Sentence
  readonly what: readonly Sentence[]
  readonly advice: Sentence
}

/** These texts as a trouble has them: in English, and as what each is made of. */
export function troubleTexts({
  name,
  what,
  advice,
}: TroubleTexts): Pick<FoundTrouble, 'name' | 'what' | 'advice' | 'words'> {
  const isName = typeof name === 'string'
  return {
    name: isName ? name : inEnglish(name),
    what: inEnglish(...what),
    advice: inEnglish(advice),
    words: { ...(!isName && { name }), what: [...what], advice },
  }
}

const troublesSchema = z.object({
  /** The worst first, then the newest. */
  troubles: z.array(troubleSchema),
  /** How many more there are: the lists of some kinds end at their limit. */
  unlisted: z.array(unlistedSchema),
  /** What could not be looked at just now: its troubles are missing. Each is the template of a sentence without values. */
  missing: z.array(z.string()),
})

/** A time of day, `HH:mm`. */
const timeOfDaySchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time as HH:mm')

const timeZoneSchema = lineSchema(60).refine(isTimeZone, 'Enter a time zone such as Asia/Jerusalem')

/** Whether the name is one of the IANA time zones. */
function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

const ruleFields = z.object({
  name: lineSchema(80).refine((name) => name !== '', 'Enter a name'),
  /** Empty: every kind. */
  kinds: z.array(z.enum(troubleKindNames)).max(troubleKindNames.length),
  minSeverity: z.enum(troubleSeverities),
  /** Of what is counted, at least so many; what is not counted passes. */
  threshold: wholeNumber(1, 1_000_000_000),
  /** It must have lasted so long. */
  forMinutes: wholeNumber(0, 10_080),
  /** Told again after so long while it lasts and nobody has acknowledged it; 0 for never. */
  repeatMinutes: wholeNumber(0, 10_080),
  bell: z.boolean(),
  mailTo: z.array(z.email('Enter an email address').max(200)).max(20),
  /** An endpoint that is told by a signed webhook; null for none. */
  endpointId: idSchema.nullable(),
  /** Between these times nothing is mailed or sent; what still lasts at their end is told then. Both empty: never. */
  quietFrom: z.union([timeOfDaySchema, z.literal('')]),
  quietTo: z.union([timeOfDaySchema, z.literal('')]),
  timeZone: timeZoneSchema,
  isOn: z.boolean(),
})

type RuleFields = z.output<typeof ruleFields>

/** The rules that concern several fields. */
function checked<T extends z.ZodType<RuleFields>>(fields: T): T {
  return fields
    .refine(({ quietFrom, quietTo }) => (quietFrom === '') === (quietTo === ''), {
      path: ['quietTo'],
      message: 'Enter both times of the quiet hours, or none',
    })
    .refine(({ bell, mailTo, endpointId }) => bell || mailTo.length > 0 || endpointId !== null, {
      path: ['bell'],
      message: 'Choose at least one way to be notified',
    })
}
/** A rule as it is made. */
export const alertRuleBody = checked(ruleFields)
export type AlertRuleInput = z.input<typeof ruleFields>

const ruleSchema = z.object({
  ...ruleFields.shape,
  id: z.string(),
  /** Empty without one, or when it was deleted. */
  endpointName: z.string(),
  version: z.int(),
  /** How many alerts of it last now. */
  openCount: z.int(),
})
export type AlertRule = z.infer<typeof ruleSchema>

const noticeSchema = z.object({
  id: z.string(),
  at: z.string(),
  /** Of a recovery: what has ended. */
  event: z.enum(['opened', 'repeated', 'recovered']),
  kind: z.enum(troubleKindNames),
  severity: z.enum(troubleSeverities),
  name: z.string(),
  what: z.string(),
  /** What these are made of; null for what was told before they were kept. */
  words: wordsSchema.omit({ advice: true }).nullable(),
  key: z.string(),
  isUnread: z.boolean(),
})
export type BellNotice = z.infer<typeof noticeSchema>

const ruleBase = '/api/alert-rules'

export const troubleRoutes = routes({
  listTroubles: {
    method: 'GET',
    path: '/api/troubles',
    summary:
      'What is wrong now, with its cure: what is refused, failing, silent, late or waits for somebody.',
    access: 'trouble',
    response: troublesSchema,
  },
  acknowledgeTrouble: {
    method: 'PUT',
    path: '/api/troubles/acknowledgement',
    summary:
      'Say that somebody deals with it: no rule repeats it until then, or until it gets worse or goes away.',
    access: 'trouble',
    body: z.object({ key: z.string().min(1).max(300), until: instantSchema.nullable().default(null) }),
    response: acknowledgementSchema,
  },
  withdrawAcknowledgement: {
    method: 'DELETE',
    path: '/api/troubles/acknowledgement',
    summary: 'Take the acknowledgement of a trouble back.',
    access: 'trouble',
    query: z.object({ key: z.string().min(1).max(300) }),
  },
  listAlertRules: {
    method: 'GET',
    path: ruleBase,
    summary: 'The rules by which people are told of troubles, and whether mail can be sent.',
    access: 'adminSettings',
    response: z.object({ rules: z.array(ruleSchema), hasMail: z.boolean() }),
  },
  createAlertRule: {
    method: 'POST',
    path: ruleBase,
    summary: 'Add a rule.',
    access: 'adminSettings',
    isFresh: true,
    isIdempotent: true,
    body: alertRuleBody,
    response: ruleSchema,
    status: 201,
  },
  updateAlertRule: {
    method: 'PUT',
    path: `${ruleBase}/{id}`,
    summary: 'Change a rule.',
    access: 'adminSettings',
    isFresh: true,
    params: idParams,
    body: checked(ruleFields.extend({ version: versionSchema })),
    response: ruleSchema,
  },
  deleteAlertRule: {
    method: 'DELETE',
    path: `${ruleBase}/{id}`,
    summary: 'Delete a rule. What it opened is not told any more.',
    access: 'adminSettings',
    isFresh: true,
    params: idParams,
  },
  listNotices: {
    method: 'GET',
    path: '/api/notices',
    summary: "The caller's bell: what rules have told, the newest first.",
    access: 'trouble',
    isPaged: true,
    query: pageQuery,
    response: z.array(noticeSchema),
  },
  countNotices: {
    method: 'GET',
    path: '/api/notices/unread',
    summary: 'How many notices of the bell the caller has not read.',
    access: 'trouble',
    response: z.object({ count: z.int() }),
  },
  readNotices: {
    method: 'PUT',
    path: '/api/notices/read',
    summary: 'The caller has read the bell up to this notice.',
    access: 'trouble',
    body: z.object({ upTo: idSchema }),
    response: okSchema,
  },
})
