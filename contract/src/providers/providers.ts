// HTTP sources that are polled for records. Spec §2 HTTP Providers, §3 Provider and Worker stats, §7; API
// specification.
import { z } from 'zod'
import {
  idSchema,
  instantSchema,
  lineSchema,
  okSchema,
  orderSchema,
  pageQuery,
  versionSchema,
  wholeNumber,
} from '../fields.ts'
import { routes } from '../route.ts'
import { isTimeZone } from '../zones.ts'
import { providerAuthTypes, workerStatuses } from '../vocabulary.ts'

/** The provider that Spec §7 configures by its own call. */
export const customProviderId = 'custom'

/** Our names for the fields of a provider's answer. */
export const mappingNames = [
  'records',
  'nextCursor',
  'hasMore',
  'id',
  'timestamp',
  'number',
  'sender',
  'text',
  'status',
] as const
export type MappingName = (typeof mappingNames)[number]
/** For each of our names the dot path in the provider's answer; empty when it has no such field. */
export type Mapping = Readonly<Record<MappingName, string>>

/** The default format. */
export const defaultMapping: Mapping = {
  records: 'records',
  nextCursor: 'nextCursor',
  hasMore: 'hasMore',
  id: 'id',
  timestamp: 'timestamp',
  number: 'number',
  sender: 'sender',
  text: 'text',
  status: 'status',
}

/** Spec §9, and what this gateway adds. Milliseconds. */
export const providerDefaults = {
  pollIntervalMs: 300_000,
  lookbackMs: 3_600_000,
  gapAlarmMs: 86_400_000,
} as const

/** Why a row is a dead letter and not a record. */
export const deadLetterReasons = [
  'unknown_number',
  'suspended_number',
  'bad_number',
  'bad_timestamp',
  'bad_field',
  'not_a_row',
  'too_large',
] as const
export type DeadLetterReason = (typeof deadLetterReasons)[number]

const mappingSchema = z.record(z.enum(mappingNames), z.string())

const providerSchema = z.object({
  id: z.string(),
  name: z.string(),
  apiUrl: z.string(),
  authType: z.enum(providerAuthTypes),
  username: z.string(),
  /** Masked; empty when none is stored. */
  apiKey: z.string(),
  hasApiKey: z.boolean(),
  hasPassword: z.boolean(),
  /** Whether it is polled; survives restarts. */
  enabled: z.boolean(),
  /** Milliseconds. */
  pollInterval: z.int(),
  /** How far back rows are read again regularly, to find rows that arrived late. Milliseconds. */
  lookback: z.int(),
  /** Alarm after this time without a new record, in milliseconds; 0 is never. */
  gapAlarm: z.int(),
  /** The earliest time to read from; null: everything. */
  startAt: z.string().nullable(),
  /** The zone of times that name none: a name of the IANA database. */
  timeZone: z.string(),
  mapping: mappingSchema,
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Provider = z.infer<typeof providerSchema>

const required = (max: number, missing: string) =>
  lineSchema(max).refine((text) => text.length > 0, { error: missing, abort: true })

// Refuses only what could never be called: a host name is resolved at each call.
const callablePattern = /^https?:\/\/[^\s/?#@\\]+([/?#]\S*)?$/i
const pathPattern = /^[^.\s][^.]*(\.[^.]+){0,9}$/
const pathSchema = lineSchema(200).refine(
  (path) => path === '' || pathPattern.test(path),
  'Enter a dot path such as data.items',
)
const neededPath = pathSchema.refine((path) => path !== '', 'A path is required')
/** Credentials go into a header: visible ASCII, and Latin letters in a password. */
const headerText = (max: number) =>
  z
    .string()
    .max(max)
    .refine((text) => !/\p{Cc}/u.test(text), 'Line breaks and control characters are not allowed')
const asciiText = (max: number) =>
  z
    .string()
    .trim()
    .max(max)
    .regex(/^[\x20-\x7e]*$/, 'Use plain letters, digits and signs')
const millisecondsSchema = (min: number, max: number, message: string) =>
  wholeNumber(min, max, message, message)

const fields = {
  name: required(64, 'Name is required'),
  apiUrl: required(2_000, 'API URL is required').refine(
    (text) => callablePattern.test(text),
    'Enter an address that begins with https:// or http://, without a user name or password in it',
  ),
  authType: z.enum(providerAuthTypes),
  apiKey: asciiText(4_000),
  username: headerText(200).refine((text) => !text.includes(':'), 'A user name has no colon'),
  password: headerText(500),
  pollInterval: millisecondsSchema(1_000, 86_400_000, 'From 1000 ms (1 second) to 86400000 ms (1 day)'),
  lookback: millisecondsSchema(0, 2_592_000_000, 'From 0 to 2592000000 ms (30 days)'),
  gapAlarm: millisecondsSchema(0, 2_592_000_000, 'From 0 to 2592000000 ms (30 days)'),
  startAt: instantSchema.nullable(),
  timeZone: lineSchema(64).refine(isTimeZone, 'Enter a time zone such as Asia/Jerusalem'),
  enabled: z.boolean(),
  mapping: z
    .object({
      records: pathSchema,
      nextCursor: pathSchema,
      hasMore: pathSchema,
      id: pathSchema,
      timestamp: neededPath,
      number: neededPath,
      sender: pathSchema,
      text: pathSchema,
      status: pathSchema,
    })
    .partial()
    .strict(),
}

/**
 * Asked when the address was read by another provider whose rows are records: `keep` goes on as that one, which was
 * deleted, so that its rows stay known; `again` is another source, whose rows are all new.
 */
const knownRowsChoices = ['keep', 'again'] as const
const knownRowsSchema = z.enum(knownRowsChoices).optional()

/** Spec §9: five minutes, not enabled. Which credentials are needed depends on `authType`; the server checks it. */
export const createProviderSchema = z.object({
  ...fields,
  apiKey: fields.apiKey.default(''),
  username: fields.username.default(''),
  password: fields.password.default(''),
  authType: fields.authType.default('bearer'),
  pollInterval: fields.pollInterval.default(providerDefaults.pollIntervalMs),
  lookback: fields.lookback.default(providerDefaults.lookbackMs),
  gapAlarm: fields.gapAlarm.default(providerDefaults.gapAlarmMs),
  startAt: fields.startAt.default(null),
  timeZone: fields.timeZone.default('UTC'),
  knownRows: knownRowsSchema,
  enabled: fields.enabled.default(false),
  mapping: fields.mapping.default({}),
})

/** A field that is left out keeps its value; so do an empty API key and password. */
export const editProviderSchema = z.object({
  ...z.object(fields).partial().shape,
  knownRows: knownRowsSchema,
  version: versionSchema,
})

/** Spec §7: the custom provider has a default name. Credentials that are left out keep their values. */
export const configureCustomSchema = z.object({
  ...editProviderSchema.shape,
  apiUrl: fields.apiUrl,
})

/** The state of an unfinished form. With `id`, the stored credentials are used for the empty ones. */
export const previewSchema = z.object({
  ...createProviderSchema.shape,
  name: lineSchema(64).default(''),
  id: z.string().max(20).optional(),
})

const providerTestSchema = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  durationMs: z.int(),
  /** Rows of the answer, when it could be read. */
  rowCount: z.int().optional(),
})
export type ProviderTest = z.infer<typeof providerTestSchema>

const previewRowSchema = z.object({
  id: z.string(),
  timestamp: z.string(),
  number: z.string(),
  sender: z.string(),
  /** The length of the text, never the text itself. */
  textLength: z.int(),
  /** The network's report, in a record's words. */
  status: z.string(),
  /** Why the row could not become a record; empty when it could, provided that the number is ours. */
  fault: z.string(),
})

const providerPreviewSchema = z.object({
  ...providerTestSchema.shape,
  rows: z.array(previewRowSchema),
  /** Rows without an id, which are told apart by time, number, sender and text alone. */
  withoutIdCount: z.int(),
  hasNextPage: z.boolean(),
  /** The paths in the answer, to choose from: `data.items[]` is a list, `data.items[].id` a field of its rows. */
  paths: z.array(z.object({ path: z.string(), kind: z.enum(['list', 'object', 'text', 'number', 'other']) })),
})
export type ProviderPreview = z.infer<typeof providerPreviewSchema>

const workerSchema = z.object({
  providerId: z.string(),
  name: z.string(),
  status: z.enum(workerStatuses),
  messagesSynced: z.int(),
  /** Polls that failed. */
  errors: z.int(),
  /** Seconds since the worker was started, or moved to this node. */
  uptime: z.int(),
  lastSync: z.string().nullable(),
  nextPoll: z.string().nullable(),
  /** Why it is in error; empty otherwise. */
  lastError: z.string(),
  /** Since when its polls fail; null while they do not. */
  failingSince: z.string().nullable(),
  /** Since when it has its status; null when that is not known. */
  statusSince: z.string().nullable(),
  /** The time of its newest record, by the provider's clock. */
  newestRecord: z.string().nullable(),
  /** The alarm: since when no new record has come, for longer than the limit; null without an alarm. */
  gapSince: z.string().nullable(),
  /** Dead letters: rows that could not become records. */
  deadLetters: z.int(),
  /** Rows of the last poll that were stored already. */
  duplicates: z.int(),
  /** The node that polls it; empty while none does. */
  node: z.string(),
})
export type Worker = z.infer<typeof workerSchema>

const workerStatsSchema = z.object({
  workers: z.array(workerSchema),
  overall: z.object({
    totalProviders: z.int(),
    activeProviders: z.int(),
    totalMessagesSynced: z.int(),
    totalErrors: z.int(),
    totalDeadLetters: z.int(),
  }),
})
export type WorkerStats = z.infer<typeof workerStatsSchema>

const deadLetterSchema = z.object({
  id: z.string(),
  reason: z.enum(deadLetterReasons),
  /** The reason with its details, for people. */
  explanation: z.string(),
  /** As the provider wrote them, cut; empty where the row has none. */
  externalId: z.string(),
  number: z.string(),
  timestamp: z.string(),
  tries: z.int(),
  createdAt: z.string(),
  lastTriedAt: z.string(),
})
export type DeadLetter = z.infer<typeof deadLetterSchema>

const replaySchema = z.object({
  /** Rows that are records now. */
  stored: z.int(),
  /** Rows that are still dead letters. */
  failed: z.int(),
})

const base = '/api/providers'
const providerParams = z.object({ id: z.string().regex(/^(custom|\d{1,10})$/, 'Unknown id') })
const deadLetterParams = providerParams.extend({ letterId: idSchema })
const deadLetterFilters = z.object({ reason: z.enum(deadLetterReasons).optional() })
const access = 'httpProviders'

export const providersRoutes = routes({
  listProviders: {
    method: 'GET',
    path: base,
    summary: 'HTTP sources that are polled for records. Credentials are masked.',
    access,
    response: z.array(providerSchema),
  },
  createProvider: {
    method: 'POST',
    path: base,
    summary: 'Add a source. It is polled at once when it is enabled.',
    access,
    fresh: 'now',
    body: createProviderSchema,
    response: providerSchema,
    status: 201,
    isIdempotent: true,
  },
  configureCustomProvider: {
    method: 'POST',
    path: `${base}/custom/configure`,
    summary: 'Make or change the custom provider.',
    access,
    fresh: 'now',
    body: configureCustomSchema,
    response: providerSchema,
  },
  previewProvider: {
    method: 'POST',
    path: `${base}/preview`,
    summary: 'Poll a source once and show the records that its answer would become; nothing is stored.',
    access,
    body: previewSchema,
    response: providerPreviewSchema,
  },
  editProvider: {
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Change a source. Without a key or password it keeps its own.',
    access,
    fresh: 'now',
    params: providerParams,
    body: editProviderSchema,
    response: providerSchema,
  },
  deleteProvider: {
    method: 'DELETE',
    path: `${base}/{id}`,
    summary:
      'Stop and forget a source. Its records stay, and a later one of its name or address will not bring them again.',
    access,
    fresh: 'hour',
    params: providerParams,
    response: okSchema,
  },
  startProvider: {
    method: 'POST',
    path: `${base}/{id}/start`,
    summary: 'Poll now, and go on over restarts of the gateway.',
    access,
    params: providerParams,
    response: providerSchema,
  },
  stopProvider: {
    method: 'POST',
    path: `${base}/{id}/stop`,
    summary: 'Poll no more, also after a restart of the gateway.',
    access,
    params: providerParams,
    response: providerSchema,
  },
  testProvider: {
    method: 'POST',
    path: `${base}/{id}/test`,
    summary: 'Poll the source once; nothing is stored. A failure is an answer, not an error.',
    access,
    params: providerParams,
    response: providerTestSchema,
  },
  listDeadLetters: {
    method: 'GET',
    path: `${base}/{id}/dead-letters`,
    summary: 'Rows of a source that could not become records, newest first unless said.',
    access,
    params: providerParams,
    query: pageQuery.extend({ ...deadLetterFilters.shape, order: orderSchema }),
    response: z.array(deadLetterSchema),
    isPaged: true,
  },
  exportDeadLetters: {
    method: 'GET',
    path: `${base}/{id}/dead-letters/export`,
    summary: 'These rows as CSV, newest first: why each waits, without what it says.',
    access,
    params: providerParams,
    query: deadLetterFilters,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  showDeadLetter: {
    method: 'GET',
    path: `${base}/{id}/dead-letters/{letterId}`,
    summary: 'One such row as it came, with its text; looking leaves an audit entry.',
    access,
    params: deadLetterParams,
    response: z.object({ ...deadLetterSchema.shape, row: z.string() }),
  },
  replayDeadLetter: {
    method: 'POST',
    path: `${base}/{id}/dead-letters/{letterId}/replay`,
    summary: 'Try once more to make this row a record.',
    access,
    params: deadLetterParams,
    response: replaySchema,
  },
  replayDeadLetters: {
    method: 'POST',
    path: `${base}/{id}/dead-letters/replay`,
    summary: 'Try once more to make these rows records: the oldest 10000 at most.',
    access,
    params: providerParams,
    body: deadLetterFilters,
    response: replaySchema,
    isHeavy: true,
  },
  dismissDeadLetter: {
    method: 'DELETE',
    path: `${base}/{id}/dead-letters/{letterId}`,
    summary: 'Give a row up: it will not come again.',
    access,
    fresh: 'hour',
    params: deadLetterParams,
    response: okSchema,
  },
  workerStats: {
    method: 'GET',
    path: '/api/workers/stats',
    summary: 'What the worker of each source does, and all of them together.',
    access,
    response: workerStatsSchema,
  },
})
