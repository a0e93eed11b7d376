// What is wrong now and what fixes it; the rules by which people are notified; their notifications.
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
import { isTimeZone } from '../zones.ts'
import type { Permission } from '../vocabulary.ts'

/** Every kind of alert, with who may see it. The page needs `alert` besides. */
export const alertKinds = {
  disk: 'adminSettings',
  backup: 'adminSettings',
  certificate: 'adminSettings',
  replica: 'adminSettings',
  refused_number: 'alerts',
  refused_traffic: 'alerts',
  refused_bind: 'alerts',
  connection: 'interconnectionApi',
  endpoint: 'interconnectionApi',
  cdr_file: 'interconnectionApi',
  provider: 'httpProviders',
  silence: 'alerts',
  burst: 'alerts',
  parked_account: 'paymentManagement',
  cycle: 'paymentManagement',
  wallet: 'paymentManagement',
  late_payment: 'paymentManagement',
  approval: 'paymentManagement',
  sign_up: 'userManagement',
  number_request: 'numbersManagement',
} as const satisfies Record<string, Permission>
export type AlertKind = keyof typeof alertKinds
export const alertKindNames = Object.keys(alertKinds) as [AlertKind, ...AlertKind[]]

/** From a matter that waits to one that loses messages or money. */
export const alertSeverities = ['notice', 'warning', 'critical'] as const
export type AlertSeverity = (typeof alertSeverities)[number]

/** How many hours {@link alertSchema} counts. */
export const alertHours = 24

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

const alertSchema = z.object({
  /** The same as long as it is the same alert: the kind, and what it is about. */
  key: z.string(),
  kind: z.enum(alertKindNames),
  severity: z.enum(alertSeverities),
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
  /** Ids and names that lead to its fix: `number`, `systemId`, `address`, `userId`, `endpointId` … */
  about: z.record(z.string(), z.string()),
  acknowledged: acknowledgementSchema.nullable(),
})
export type Alert = z.infer<typeof alertSchema>
/** An alert as a slice reports it. */
export type FoundAlert = Omit<Alert, 'acknowledged'>

const unlistedSchema = z.object({
  kind: z.enum(alertKindNames),
  severity: z.enum(alertSeverities),
  count: z.int(),
})
/** How many alerts there are that a list leaves out, because it ends at its limit. */
export type UnlistedAlerts = z.infer<typeof unlistedSchema>

/** What a slice reports. */
export interface FoundAlerts {
  readonly alerts: readonly FoundAlert[]
  readonly unlisted: readonly UnlistedAlerts[]
}

/** What is left out of `total` when so many are listed; nothing when all are. */
export function unlistedOf(
  kind: AlertKind,
  severity: AlertSeverity,
  { total = 0, listed }: { readonly total: number | undefined; readonly listed: number },
): UnlistedAlerts[] {
  return total > listed ? [{ kind, severity, count: total - listed }] : []
}

interface AlertTexts {
  /** A text is a name, of a supplier or an account. */
  readonly name: string | Sentence
  readonly what: readonly Sentence[]
  readonly advice: Sentence
}

/** These texts as an alert has them: in English, and as what each is made of. */
export function alertTexts({
  name,
  what,
  advice,
}: AlertTexts): Pick<FoundAlert, 'name' | 'what' | 'advice' | 'words'> {
  const isName = typeof name === 'string'
  return {
    name: isName ? name : inEnglish(name),
    what: inEnglish(...what),
    advice: inEnglish(advice),
    words: { ...(!isName && { name }), what: [...what], advice },
  }
}

const alertsSchema = z.object({
  /** The worst first, then the newest. */
  alerts: z.array(alertSchema),
  /** How many more there are: the lists of some kinds end at their limit. */
  unlisted: z.array(unlistedSchema),
  /** What could not be looked at just now: its alerts are missing. Each is the template of a sentence without values. */
  missing: z.array(z.string()),
})

/** A time of day, `HH:mm`. */
const timeOfDaySchema = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time as HH:mm')

const timeZoneSchema = lineSchema(60).refine(isTimeZone, 'Enter a time zone such as Asia/Jerusalem')

/** The ids of connections, providers, people and ranges. */
const scopeIdSchema = z.string().regex(/^\d{1,9}$/, 'Unknown id')

/** What a rule may be limited to. An account is a supplier, a client, or both. */
export const alertScopeKinds = ['connection', 'provider', 'account', 'range'] as const
export type AlertScopeKind = (typeof alertScopeKinds)[number]

const ruleFields = z.object({
  name: lineSchema(80).refine((name) => name !== '', 'Enter a name'),
  /** Empty: every kind. */
  kinds: z.array(z.enum(alertKindNames)).max(alertKindNames.length),
  minSeverity: z.enum(alertSeverities),
  /** Of what is counted, at least so many; what is not counted passes. */
  threshold: wholeNumber(1, 1_000_000_000),
  /** Only alerts about this one; null for all. */
  scope: z
    .object({ kind: z.enum(alertScopeKinds), id: scopeIdSchema })
    .nullable()
    .default(null),
  /** It must have lasted so long. */
  forMinutes: wholeNumber(0, 10_080),
  /** Told again after so long while it lasts and nobody has acknowledged it; 0 for never. */
  repeatMinutes: wholeNumber(0, 10_080),
  /** Tells everybody in the console who may see it. */
  inConsole: z.boolean(),
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
    .refine(({ inConsole, mailTo, endpointId }) => inConsole || mailTo.length > 0 || endpointId !== null, {
      path: ['inConsole'],
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
  /** The name of what it is limited to; empty without a limit, or when that was deleted. */
  scopeName: z.string(),
  version: z.int(),
  /** How many alerts of it last now. */
  openCount: z.int(),
})
export type AlertRule = z.infer<typeof ruleSchema>

const notificationSchema = z.object({
  id: z.string(),
  at: z.string(),
  /** Of a recovery: what has ended. */
  event: z.enum(['opened', 'repeated', 'recovered']),
  kind: z.enum(alertKindNames),
  severity: z.enum(alertSeverities),
  name: z.string(),
  what: z.string(),
  /** What these are made of; null for what was told before they were kept. */
  words: wordsSchema.omit({ advice: true }).nullable(),
  key: z.string(),
  isUnread: z.boolean(),
})
export type AlertNotification = z.infer<typeof notificationSchema>

/** The newest of the last 30 days are listed. */
export const ownNotificationsMax = 50

/** What a client should know of, read from what happened. */
const ownNotificationSchema = z.discriminatedUnion('kind', [
  /** A payment arrived; several debts paid by one transfer are one. */
  z.object({ kind: z.literal('paid'), at: z.string(), amount: z.string() }),
  /** A number request was answered. */
  z.object({
    kind: z.literal('request'),
    at: z.string(),
    status: z.enum(['approved', 'assigned', 'rejected']),
    number: z.string(),
    reason: z.string(),
  }),
  /** Numbers were assigned, one of them by name. */
  z.object({ kind: z.literal('number'), at: z.string(), number: z.string(), count: z.int() }),
  /** What an SMS earns changes or has changed, of all numbers without a price of their own; `at` is when it was announced. */
  z.object({
    kind: z.literal('rate'),
    at: z.string(),
    startsAt: z.string(),
    before: z.string(),
    usdPerSms: z.string(),
  }),
  /** The same of numbers with a price of their own, one of them by name. */
  z.object({
    kind: z.literal('price'),
    at: z.string(),
    startsAt: z.string(),
    before: z.string(),
    usdPerSms: z.string(),
    number: z.string(),
    count: z.int(),
  }),
])
export type OwnNotification = z.infer<typeof ownNotificationSchema>

const ruleBase = '/api/alert-rules'

const setupSchema = z.object({
  /** Admins who can sign in. */
  adminCount: z.int(),
  /** Whether payments are checked on the chain. */
  hasChainNode: z.boolean(),
  hasMail: z.boolean(),
  /** When the command backup last made a copy; null for never. Absent where a database server has tools of its own. */
  lastBackupAt: z.string().nullable().optional(),
  /** How that command is called here: a release has no npm. */
  backupCommand: z.string(),
  /** The address that suppliers are told, and whether they reach it from outside. */
  smppHost: z.string(),
  isSmppPublic: z.boolean(),
  hasSmppTls: z.boolean(),
  /** Alert rules that are on. */
  ruleCount: z.int(),
  /** So many days after the close the first bills of a client may be paid. */
  newcomerDays: z.int(),
})
export type Setup = z.infer<typeof setupSchema>

export const alertRoutes = routes({
  listAlerts: {
    method: 'GET',
    path: '/api/alerts',
    summary: 'What is wrong now, with its fix: what is refused, failing, silent, late or waits for somebody.',
    access: 'alerts',
    response: alertsSchema,
  },
  acknowledgeAlert: {
    method: 'PUT',
    path: '/api/alerts/acknowledgement',
    summary:
      'Say that somebody deals with it: no rule repeats it until then, or until it gets worse or goes away.',
    access: 'alerts',
    body: z.object({ key: z.string().min(1).max(300), until: instantSchema.nullable().default(null) }),
    response: acknowledgementSchema,
  },
  withdrawAcknowledgement: {
    method: 'DELETE',
    path: '/api/alerts/acknowledgement',
    summary: 'Withdraw the acknowledgement of an alert.',
    access: 'alerts',
    query: z.object({ key: z.string().min(1).max(300) }),
  },
  readSetup: {
    method: 'GET',
    path: '/api/setup',
    summary: 'What a gateway in production has, and this one has or lacks.',
    access: 'adminSettings',
    response: setupSchema,
  },
  listAlertRules: {
    method: 'GET',
    path: ruleBase,
    summary: 'The rules by which people are told of alerts, and whether mail can be sent.',
    access: 'adminSettings',
    response: z.object({ rules: z.array(ruleSchema), hasMail: z.boolean() }),
  },
  countFittingAlerts: {
    method: 'GET',
    path: `${ruleBase}/fitting`,
    summary:
      'How many alerts of the last seven days fit a rule, and since when they are stored; null where no rule that is on covers it, because then nothing of them is stored.',
    access: 'adminSettings',
    query: z.object({
      /** With commas between them; empty: every kind. */
      kinds: z
        .string()
        .max(1_000)
        .default('')
        .transform((text) => (text === '' ? [] : text.split(',')))
        .pipe(z.array(z.enum(alertKindNames))),
      minSeverity: ruleFields.shape.minSeverity.default('notice'),
      threshold: ruleFields.shape.threshold.default(1),
      forMinutes: ruleFields.shape.forMinutes.default(0),
      /** Both or none of them: without a scope, of everything. */
      scopeKind: z.enum(alertScopeKinds).optional(),
      scopeId: scopeIdSchema.optional(),
    }),
    response: z.object({ count: z.int().nullable(), since: z.string().nullable() }),
  },
  createAlertRule: {
    method: 'POST',
    path: ruleBase,
    summary: 'Add a rule.',
    access: 'adminSettings',
    fresh: 'hour',
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
    fresh: 'hour',
    params: idParams,
    body: checked(ruleFields.extend({ version: versionSchema })),
    response: ruleSchema,
  },
  deleteAlertRule: {
    method: 'DELETE',
    path: `${ruleBase}/{id}`,
    summary: 'Delete a rule. What it opened is not told any more.',
    access: 'adminSettings',
    fresh: 'hour',
    params: idParams,
  },
  listNotifications: {
    method: 'GET',
    path: '/api/notifications',
    summary: "The caller's notifications: what rules have reported, newest first.",
    access: 'alerts',
    isPaged: true,
    query: pageQuery,
    response: z.array(notificationSchema),
  },
  listOwnNotifications: {
    method: 'GET',
    path: '/api/notifications/own',
    summary:
      'What the caller should know of as a client: payments, answers, numbers and rates, newest first.',
    access: 'payment',
    response: z.array(ownNotificationSchema),
  },
  countNotifications: {
    method: 'GET',
    path: '/api/notifications/unread',
    summary: 'How many notifications the caller has not read.',
    access: 'alerts',
    response: z.object({ count: z.int() }),
  },
  readNotifications: {
    method: 'PUT',
    path: '/api/notifications/read',
    summary: 'The caller has read the notifications up to this one.',
    access: 'alerts',
    body: z.object({ upTo: idSchema }),
    response: okSchema,
  },
})
