// SMS records: the list, its totals, one record with its timeline, counters and the live feed. Spec §2, §3, §7.
import { z } from 'zod'
import { exportColumnsSchema } from './export-columns.ts'
import {
  chosenRowsMax,
  daySchema,
  hourSchema,
  orderSchema,
  pageQuery,
  searchSchema,
  wholeNumber,
} from '../fields.ts'
import { parseMicro } from '../money.ts'
import { routes } from '../route.ts'
import { sentenceSchema } from '../sentences.ts'
import {
  activityStatuses,
  clientReports,
  defaultAlphabets,
  recordSources,
  recordStatuses,
  holdFilters,
  longMessageStates,
  settlements,
  type ActivityStatus,
} from '../vocabulary.ts'
import { zoneSchema } from '../zones.ts'

export const recordSchema = z.object({
  /** Equal to messageId. */
  id: z.string(),
  /** The id acknowledged to the peer; one per SMS. */
  messageId: z.string(),
  createdAt: z.string(),
  /** The rangeNumber of the range that contains the number; empty when none does. */
  range: z.string(),
  phoneNumber: z.string(),
  /** When the record last changed. */
  lu: z.string(),
  /** The holder's username; empty when nobody held the number. */
  client: z.string(),
  /** The tariff in shekels. */
  bill: z.string(),
  gateway: z.string(),
  /** The network's delivery report; 'No Report' until there is one. */
  noReport: z.string(),
  clientReport: z.enum(clientReports),
  /** The number's description; empty when it has none. */
  name: z.string(),
  status: z.enum(recordStatuses),
  sender: z.string(),
  /** Masked; `GET /api/records/{id}/text` shows it to callers who may read it. */
  text: z.string(),
  source: z.enum(recordSources),
  /** What the client earns, USD; "0" when nobody held the number. */
  amountUsd: z.string(),
  /** The data_coding of its PDU (SMPP 3.4 §5.2.19); null for a source without PDUs. */
  dataCoding: z.int().nullable(),
  /** Its place in a long message, from the user data header or the sar_ parameters; null for a message of one piece. */
  part: z.object({ reference: z.int(), total: z.int(), position: z.int() }).nullable(),
  /** As many SMS as its text fills, each charged: 1 usually, hundreds for a long message_payload, 0 for an acknowledgement. */
  smsCount: z.int(),
  /** For staff only: held for review. */
  held: z.boolean().optional(),
})
export type SmsRecord = z.infer<typeof recordSchema>

const activityWords = Object.keys(activityStatuses) as [ActivityStatus, ...ActivityStatus[]]

/** The filters of every call about records. `status` takes a record's status or the dashboard's words. */
export const recordFilters = z.object({
  search: searchSchema.optional(),
  dateFrom: daySchema.optional(),
  dateTo: daySchema.optional(),
  /** One hour of a day, UTC. */
  hour: hourSchema.optional(),
  /** A time of day, `HH:mm`, on each of the days; at most 31. */
  time: z
    .string()
    .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'Enter a time such as 14:05')
    .optional(),
  /** How many minutes before and after `time`; 15 by default. */
  within: wholeNumber(1, 660).optional(),
  /** The time zone of the days and of `time`; UTC by default. */
  zone: zoneSchema.optional(),
  status: z.enum([...recordStatuses, ...activityWords, 'all']).optional(),
  client: z.string().max(64).optional(),
  range: z.string().max(64).optional(),
  gateway: z.string().max(100).optional(),
  /** A part of the source address. Not for the test role, which sees it masked. */
  sender: searchSchema.optional(),
  number: z.string().max(40).optional(),
  /** A country's English name: the records of its ranges. */
  country: z.string().max(100).optional(),
  /** A billing period (`3-17`), or all clients' of a cycle (`3`). */
  period: z
    .string()
    .regex(/^[1-9]\d{0,8}(-[1-9]\d{0,8})?$/, 'Enter a period such as 3-17')
    .optional(),
  /** What the client earns for the message, USD. */
  rate: z
    .string()
    .refine((text) => (parseMicro(text) ?? -1n) >= 0n, 'Enter a rate with at most 6 decimals')
    .optional(),
  /** The rate itself: two rates may be of the same amount. */
  rateId: wholeNumber(1, 2_147_483_647).optional(),
  settlement: z.enum(settlements).optional(),
  hold: z.enum(holdFilters).optional(),
  /** Whether the message was received before the period in which it settles. */
  late: z.enum(['true', 'false']).optional(),
  /** The messages that an adjustment credits, by its id. */
  correction: z
    .string()
    .regex(/^[1-9]\d{0,17}$/, 'Enter the number of a correction')
    .optional(),
  /** Messages to numbers that nobody held. */
  unowned: z.enum(['true', 'false']).optional(),
  /** Test messages alone, or none of them. The figures of the traffic count none. */
  test: z.enum(['true', 'false']).optional(),
})
export type RecordFilters = z.infer<typeof recordFilters>

/** One step of a record's timeline. `detail` is in the terms of the protocol or of the ledger. */
export const timelineStepSchema = z.object({
  at: z.string(),
  step: z.enum([
    'received',
    'decoded',
    'number_matched',
    'priced',
    'committed',
    'handed_on',
    'taken',
    'refused',
    'reported',
    'held',
    'released',
    'withheld',
  ]),
  title: z.string(),
  detail: z.string(),
  /** What the detail is made of. */
  detailWords: z.array(sentenceSchema),
  status: z.enum(['ok', 'info', 'warn', 'bad', 'idle']),
})

/** What a message's PDU carried beside its text, as it was sent. */
export const sentSchema = z.object({
  sourceAddress: z.string(),
  sourceTon: z.int(),
  sourceNpi: z.int(),
  destinationAddress: z.string(),
  destTon: z.int(),
  destNpi: z.int(),
  serviceType: z.string(),
  protocolId: z.int(),
  priority: z.int(),
  esmClass: z.int(),
  dataCoding: z.int(),
  /** The optional parameters (TLVs): `0x0204`, its name in SMPP 3.4 or nothing, and its value in hexadecimal. */
  parameters: z.array(z.object({ tag: z.string(), name: z.string(), hex: z.string() })),
})
export type SentView = z.infer<typeof sentSchema>

export const rawSchema = z.object({
  /** short_message or message_payload as it came, the user data header included, in hexadecimal. */
  octets: z.string(),
  /** The user data header at the start of the octets, in hexadecimal; empty without one. */
  header: z.string(),
  dataCoding: z.int(),
  esmClass: z.int(),
  /** How data_coding 0 was read when the message came in. */
  defaultAlphabet: z.enum(defaultAlphabets),
})
export type RawView = z.infer<typeof rawSchema>

/** A long message with the records that are its parts. */
export const longMessageSchema = z.object({
  id: z.string(),
  /** `open` waits for more parts; `incomplete` has waited too long. */
  state: z.enum(longMessageStates),
  total: z.int(),
  /** The message ids of the parts that came, in their order. */
  partIds: z.array(z.string()),
  /** The positions of those that did not come, from 1. */
  missing: z.array(z.int()),
})
export type LongMessageView = z.infer<typeof longMessageSchema>

/** The data of the event `message.completed`. */
const completedMessageSchema = longMessageSchema.extend({
  /** The first part's; in its order, not in that of arrival. */
  messageId: z.string(),
  reference: z.int(),
  phoneNumber: z.string(),
  range: z.string(),
  client: z.string(),
  gateway: z.string(),
  sender: z.string(),
  createdAt: z.string(),
  /** Joined, with the mark […] where parts are missing; masked for an endpoint that may not read texts. */
  text: z.string(),
  /** The octets of each part that is kept, in their order; null for an endpoint that may not read texts. */
  parts: z.array(z.object({ messageId: z.string(), position: z.int(), raw: rawSchema })).nullable(),
})
export type CompletedMessage = z.infer<typeof completedMessageSchema>

const recordDetailSchema = recordSchema.extend({
  numberId: z.string(),
  clientId: z.int().nullable(),
  /** The rate that priced it, USD per SMS, and where it came from. */
  rate: z.object({ usd: z.string(), from: z.enum(['number', 'user', 'global', 'none']) }),
  settlesIn: z.object({
    periodStart: z.string(),
    periodEnd: z.string(),
    settlement: z.enum(['none', 'bill', 'payout']),
  }),
  /** What was unusual about the message, as sentences; empty when nothing was. */
  flags: z.array(z.string()),
  /** Null when it is not kept (any more), when the message came without a PDU, and for viewers who see numbers masked. */
  sent: sentSchema.nullable(),
  /** The long message that it is a part of; null for a message of one piece, and once that is forgotten. */
  longMessage: longMessageSchema.nullable(),
  timeline: z.array(timelineStepSchema),
})
export type RecordDetail = z.infer<typeof recordDetailSchema>

const recordSummarySchema = z.object({
  count: z.int(),
  /** Shekels. */
  bill: z.string(),
  amountUsd: z.string(),
})

const activityCounts = z.object({
  processed: z.int(),
  delivered: z.int(),
  pending: z.int(),
  failed: z.int(),
})

export const statsSchema = z.object({
  totalRecords: z.int(),
  completed: z.int(),
  pending: z.int(),
  /** Failed records. */
  issues: z.int(),
  uniqueNumbers: z.int(),
  activeProviders: z.int(),
  /** Test messages. No other figure here counts them. */
  tests: z.int(),
  today: activityCounts,
})

export const activitySchema = z.object({
  /** The 24 hours of the requested day, UTC. */
  hours: z.array(activityCounts.omit({ processed: true }).extend({ hour: z.int() })),
  /** The same weekday's day before: messages per hour, for comparison. */
  previous: z.array(z.int()),
  today: activityCounts,
  /** The same day one week ago, up to the same time of day. */
  lastWeek: z.int(),
})

const partSchema = z.object({ count: z.int(), amountUsd: z.string() })

export const weekSchema = z.object({
  /** The open cycle's number, as in the ids of its periods; null before the first message. */
  cycleId: z.int().nullable(),
  periodStart: z.string(),
  periodEnd: z.string(),
  /** Everything that came, what nobody earns or what is held included. */
  count: z.int(),
  amountUsd: z.string(),
  /** What the messages earned: in the weekly bill and in payouts. Corrections are not in it. */
  earned: partSchema,
  bill: partSchema,
  payouts: partSchema,
  /** Held, waiting for a decision or refused: in neither. */
  held: partSchema,
  /** Of all, those received before the cycle began; null for a cycle that does not begin with a day. */
  late: partSchema.nullable(),
  /**
   * The messages of this cycle up to its last whole hour, and those of the cycle before up to the same hour of the week; held
   * ones are in both. Null for a cycle that is no week, and in its first hour.
   */
  pace: z.object({ until: z.string(), now: partSchema, before: partSchema }).nullable(),
  /** Seven days (or the cycle's days) with 24 hourly counts each. */
  days: z.array(z.object({ day: z.string(), count: z.int(), hours: z.array(z.int()) })),
})

export const reportGroups = ['day', 'client', 'range', 'gateway', 'status'] as const

const chosenRecords = z.object({
  ids: z.array(z.string().max(40)).min(1).max(chosenRowsMax),
  columns: exportColumnsSchema.optional(),
})

export const recordsRoutes = routes({
  listRecords: {
    method: 'GET',
    path: '/api/records',
    summary: 'Records newest first, or oldest first by `order`; a client sees only its own.',
    access: 'recordsRead',
    scope: 'records:read',
    query: pageQuery.extend({ ...recordFilters.shape, order: orderSchema }),
    response: z.array(recordSchema),
    isPaged: true,
    onReplica: 'current',
  },
  summariseRecords: {
    method: 'GET',
    path: '/api/records/summary',
    summary: 'Count, bill and earnings of everything the filters match.',
    access: 'recordsRead',
    scope: 'records:read',
    query: recordFilters,
    response: recordSummarySchema,
    onReplica: 'current',
  },
  reportRecords: {
    method: 'GET',
    path: '/api/records/report',
    summary: 'Totals of everything the filters match, grouped.',
    access: 'recordsRead',
    scope: 'records:read',
    query: recordFilters.extend({ groupBy: z.enum(reportGroups).default('day') }),
    response: z.array(recordSummarySchema.extend({ group: z.string() })),
    isHeavy: true,
    onReplica: 'current',
  },
  exportRecords: {
    method: 'GET',
    path: '/api/records/export',
    summary: 'Everything the filters match as CSV, streamed; with `columns`, these ones, in their order.',
    access: 'recordsRead',
    scope: 'records:read',
    query: recordFilters.extend({ columns: exportColumnsSchema.optional() }),
    stream: 'csv',
    isHeavy: true,
    onReplica: 'lagging',
  },
  exportChosenRecords: {
    method: 'POST',
    path: '/api/records/export',
    summary: 'The chosen records as CSV; with `columns`, these ones, in their order.',
    access: 'recordsRead',
    scope: 'records:read',
    body: chosenRecords,
    // 43 bytes for each id.
    bodyLimitBytes: 256 * 1024,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  exportRecordsAsParquet: {
    method: 'GET',
    path: '/api/records/export/parquet',
    summary: 'Everything the filters match as Apache Parquet, streamed; all columns, or those of `columns`.',
    access: 'recordsRead',
    scope: 'records:read',
    query: recordFilters.extend({ columns: exportColumnsSchema.optional() }),
    stream: 'file',
    isHeavy: true,
    onReplica: 'lagging',
  },
  exportChosenRecordsAsParquet: {
    method: 'POST',
    path: '/api/records/export/parquet',
    summary: 'The chosen records as Apache Parquet; all columns, or those of `columns`.',
    access: 'recordsRead',
    scope: 'records:read',
    body: chosenRecords,
    bodyLimitBytes: 256 * 1024,
    stream: 'file',
    isHeavy: true,
    onReplica: 'current',
  },
  listRecordFilters: {
    method: 'GET',
    path: '/api/records/filters',
    summary:
      'The ranges, clients, gateways and countries that the viewer may filter by, and the clients that nothing reaches.',
    access: 'recordsRead',
    response: z.object({
      ranges: z.array(z.string()),
      clients: z.array(z.string()),
      gateways: z.array(z.string()),
      /** Of the ranges, by their English names. */
      countries: z.array(z.string()),
      /** Clients with neither a bind to receive, nor a webhook, nor a key for the feed: nothing is handed on to them. */
      withoutReceiver: z.array(z.string()),
    }),
  },
  getRecord: {
    method: 'GET',
    path: '/api/records/{id}',
    summary: 'One record with its timeline.',
    access: 'recordsRead',
    scope: 'records:read',
    params: z.object({ id: z.string().max(40) }),
    response: recordDetailSchema,
  },
  readRecordText: {
    method: 'GET',
    path: '/api/records/{id}/text',
    summary:
      'The message text, for callers who may read it; leaves an audit entry. A key reads its owner’s records.',
    access: 'textRead',
    scope: 'texts:read',
    params: z.object({ id: z.string().max(40) }),
    response: z.object({
      text: z.string(),
      encoding: z.string(),
      flags: z.array(z.string()),
      raw: rawSchema,
      /** The long message that this record is a segment of, with a mark where segments are missing. */
      whole: z.object({ text: z.string(), parts: z.number().int(), total: z.number().int() }).optional(),
    }),
  },
  getStats: {
    method: 'GET',
    path: '/api/stats',
    summary: "Counters of the viewer's records.",
    access: 'recordsRead',
    response: statsSchema,
  },
  getActivity: {
    method: 'GET',
    path: '/api/stats/activity',
    summary: "A day's records by hour, with the day before.",
    access: 'recordsRead',
    query: z.object({ day: daySchema.optional() }),
    response: activitySchema,
  },
  getWeek: {
    method: 'GET',
    path: '/api/stats/week',
    summary: 'The open cycle by hour, with what it earned so far.',
    access: 'recordsRead',
    response: weekSchema,
  },
})
