// SMPP links from us to upstreams. Spec §2 Interconnection API, §3 SMPP connection; API specification.
import { z } from 'zod'
import {
  idParams,
  lineSchema,
  numberInputSchema,
  okSchema,
  senderSchema,
  versionSchema,
  wholeNumber,
} from '../fields.ts'
import { testStepSchema } from '../gateway/link-checks.ts'
import { routes } from '../route.ts'
import { schemaMessage } from '../schema-messages.ts'
import { sentence } from '../sentences.ts'
import { hostPattern, peerTrustFields, trustedCertificateSchema } from './peer-trust.ts'
import { allowedCidrsSchema, enquireLinkSchema, windowSchema } from '../users/smpp-profile.ts'
import {
  bindTypes,
  connectionStatuses,
  defaultAlphabets,
  interfaceVersions,
  readIdForms,
} from '../vocabulary.ts'

const sendStatuses = ['queued', 'sending', 'sent', 'failed'] as const

const connectionSchema = z.object({
  id: z.string(),
  name: z.string(),
  host: z.string(),
  port: z.int(),
  useTls: z.boolean(),
  /** PEM of the CAs that alone are trusted over TLS; null: those that Node.js trusts. */
  tlsCa: z.string().nullable(),
  /** The name or address that the gateway's certificate must be for; null: the host. */
  tlsName: z.string().nullable(),
  /** The certificates of `tlsCa`. */
  tlsCertificates: z.array(trustedCertificateSchema),
  bindType: z.enum(bindTypes),
  systemId: z.string(),
  /** Always masked. */
  password: z.string(),
  systemType: z.string(),
  interfaceVersion: z.enum(interfaceVersions),
  sourceTon: z.int(),
  sourceNpi: z.int(),
  destTon: z.int(),
  destNpi: z.int(),
  /** The limit, messages a second; 0 is none. */
  throughput: z.int(),
  answerIdForm: z.enum(readIdForms),
  receiptIdForm: z.enum(readIdForms),
  /** Whether a message to us whose text reads as a receipt is one, although nothing marks it. */
  isReceiptByText: z.boolean(),
  /** How data_coding 0 is read, and written when we send. */
  defaultAlphabet: z.enum(defaultAlphabets),
  /** Whether what we send may use the national language tables of GSM. */
  useNationalTables: z.boolean(),
  /** Whether all is refused that SMPP wants refused; otherwise what can be understood is taken, and its record flagged. */
  isStrict: z.boolean(),
  /** Messages of the upstream that may be unanswered. */
  receiveWindow: z.int(),
  /** Messages of ours that may be unanswered; null is the common setting of all connections. */
  sendWindow: z.int().nullable(),
  /** Seconds of silence before we ask whether it is alive; null is the common setting. */
  enquireLinkSeconds: z.int().nullable(),
  /** Networks in which the host must be, or it is not connected; none is any. */
  allowedCidrs: z.array(z.string()),
  status: z.enum(connectionStatuses),
  /** Whether the connection should be bound. It survives restarts; a connection that fails keeps it. */
  isWanted: z.boolean(),
  lastHeartbeat: z.string().nullable(),
  connectedAt: z.string().nullable(),
  /** Since when it is not connected; null while it is, or while it was not tried. */
  downSince: z.string().nullable(),
  attempts: z.int(),
  lastAttempt: z.string().nullable(),
  /** Time of the next attempt; null when none is scheduled. */
  nextAttempt: z.string().nullable(),
  /** The command_status of the last refused bind; 14 is a wrong password. */
  lastErrorCode: z.int().nullable(),
  lastError: z.string(),
  /** The node that owns it; empty while none does. */
  node: z.string(),
  /** Measured over the last minute, both ways. */
  messagesPerSecond: z.number(),
  sent24h: z.int(),
  received24h: z.int(),
  version: z.int(),
  createdAt: z.string(),
  updatedAt: z.string(),
})
export type Connection = z.infer<typeof connectionSchema>

const named = (max: number, missing: string) => lineSchema(max).refine((text) => text.length > 0, missing)
// Visible ASCII: C-octet strings of the bind (SMPP 3.4 §3.1).
const ascii = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^[\x20-\x7e]*$/, 'Use plain letters, digits and signs')
// SMPP 3.4 §5.2.5, §5.2.6.
const tonSchema = wholeNumber(0, 6, 'From 0 to 6', 'From 0 to 6')
const npiValues = [0, 1, 3, 4, 6, 8, 9, 10, 14, 18]
const npiWords = schemaMessage(sentence('One of {choices}', { choices: npiValues.join(', ') }))
const npiSchema = wholeNumber(0, 18, npiWords, npiWords).refine((npi) => npiValues.includes(npi), npiWords)

const fields = {
  name: named(64, 'Name is required'),
  host: named(253, 'Host is required').refine(
    (host) => hostPattern.test(host),
    'Enter a host name or an address',
  ),
  port: wholeNumber(1, 65_535, 'Enter a port', 'From 1 to 65535'),
  useTls: z.boolean(),
  ...peerTrustFields,
  bindType: z.enum(bindTypes),
  // SMPP 3.4 §5.2.1: 15 characters. §5.2.2 gives the password 8; some gateways take more.
  systemId: ascii(15),
  password: ascii(64),
  systemType: ascii(12),
  interfaceVersion: z.enum(interfaceVersions),
  sourceTon: tonSchema,
  sourceNpi: npiSchema,
  destTon: tonSchema,
  destNpi: npiSchema,
  throughput: wholeNumber(0, 10_000, 'Enter messages a second', 'From 0 to 10000'),
  answerIdForm: z.enum(readIdForms),
  receiptIdForm: z.enum(readIdForms),
  isReceiptByText: z.boolean(),
  defaultAlphabet: z.enum(defaultAlphabets),
  useNationalTables: z.boolean(),
  isStrict: z.boolean(),
  receiveWindow: windowSchema,
  sendWindow: orCommon(wholeNumber(1, 100, 'Enter a number from 1 to 100', 'From 1 to 100')),
  enquireLinkSeconds: orCommon(enquireLinkSchema),
  allowedCidrs: allowedCidrsSchema,
}

/** An empty field of a form is null: the common setting of all connections. */
function orCommon<Schema extends z.ZodType<number, string | number>>(schema: Schema) {
  return z.union([z.null(), z.literal('').transform(() => null), schema])
}

/** Spec §5: name and host are required. Spec §9: the defaults. */
export const createConnectionSchema = z.object({
  ...fields,
  port: fields.port.default(2775),
  useTls: fields.useTls.default(false),
  tlsCa: fields.tlsCa.default(null),
  tlsName: fields.tlsName.default(null),
  bindType: fields.bindType.default('transceiver'),
  systemId: fields.systemId.default(''),
  password: fields.password.default(''),
  systemType: fields.systemType.default(''),
  interfaceVersion: fields.interfaceVersion.default('3.4'),
  sourceTon: fields.sourceTon.default(1),
  sourceNpi: fields.sourceNpi.default(1),
  destTon: fields.destTon.default(1),
  destNpi: fields.destNpi.default(1),
  throughput: fields.throughput.default(100),
  answerIdForm: fields.answerIdForm.default('text'),
  receiptIdForm: fields.receiptIdForm.default('text'),
  isReceiptByText: fields.isReceiptByText.default(false),
  defaultAlphabet: fields.defaultAlphabet.default('gsm7'),
  useNationalTables: fields.useNationalTables.default(false),
  isStrict: fields.isStrict.default(false),
  receiveWindow: fields.receiveWindow.default(50),
  sendWindow: fields.sendWindow.default(null),
  enquireLinkSeconds: fields.enquireLinkSeconds.default(null),
  allowedCidrs: fields.allowedCidrs.default([]),
})

/** A field that is left out keeps its value; an empty password keeps the stored one. */
export const editConnectionSchema = z.object({ ...z.object(fields).partial().shape, version: versionSchema })

const connectionTestSchema = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  errorCode: z.int().optional(),
  /** The system_id that the upstream answered. */
  peerSystemId: z.string().optional(),
  durationMs: z.int(),
  /** In order: address, connection, bind, unbind. */
  steps: z.array(testStepSchema),
})
export type ConnectionTest = z.infer<typeof connectionTestSchema>

const connectionSendSchema = z.object({
  id: z.string(),
  from: z.string(),
  to: z.string(),
  status: z.enum(sendStatuses),
  errorCode: z.int().nullable(),
  error: z.string(),
  /** The state in the receipt, such as DELIVRD; empty until one arrives. */
  receipt: z.string(),
  receiptAt: z.string().nullable(),
  createdBy: z.string(),
  createdAt: z.string(),
  doneAt: z.string().nullable(),
})
export type ConnectionSend = z.infer<typeof connectionSendSchema>

const unmatchedReceiptSchema = z.object({
  /** The id that it names, compared in the connection's form of ids; empty when it names none that can be read. */
  messageId: z.string(),
  /** Its state, such as DELIVRD. */
  receipt: z.string(),
  /**
   * The text of the last one in hexadecimal, at most its first 255 octets; `··` stands for each octet of a message that it
   * quotes, and for all of them when nothing in it reads as a receipt.
   */
  octets: z.string(),
  /** How many came for this id. */
  count: z.int(),
  /** When the last one came. */
  receivedAt: z.string(),
})
export type UnmatchedReceipt = z.infer<typeof unmatchedReceiptSchema>

const base = '/api/smpp-connections'
// The CA in it may have 32 KiB.
const bodyLimitBytes = 48 * 1024

export const connectionsRoutes = routes({
  listConnections: {
    method: 'GET',
    path: base,
    summary: 'SMPP links to outside gateways, with their live state. Passwords are masked.',
    access: 'interconnectionApi',
    response: z.array(connectionSchema),
  },
  createConnection: {
    method: 'POST',
    path: base,
    summary: 'Add a link. It connects at once.',
    access: 'interconnectionApi',
    fresh: 'now',
    body: createConnectionSchema,
    bodyLimitBytes,
    response: connectionSchema,
    status: 201,
    isIdempotent: true,
  },
  editConnection: {
    method: 'PUT',
    path: `${base}/{id}`,
    summary: 'Change a link; it connects anew with what was changed. Without a password it keeps its own.',
    access: 'interconnectionApi',
    fresh: 'now',
    params: idParams,
    body: editConnectionSchema,
    bodyLimitBytes,
    response: connectionSchema,
  },
  deleteConnection: {
    method: 'DELETE',
    path: `${base}/{id}`,
    summary: 'Unbind and forget a link. Its records stay.',
    access: 'interconnectionApi',
    fresh: 'hour',
    params: idParams,
    response: okSchema,
  },
  connectConnection: {
    method: 'POST',
    path: `${base}/{id}/connect`,
    summary: 'Connect, and stay connected over restarts of the gateway.',
    access: 'interconnectionApi',
    params: idParams,
    response: connectionSchema,
  },
  disconnectConnection: {
    method: 'POST',
    path: `${base}/{id}/disconnect`,
    summary: 'Unbind, and stay away over restarts of the gateway.',
    access: 'interconnectionApi',
    params: idParams,
    response: connectionSchema,
  },
  restartConnection: {
    method: 'POST',
    path: `${base}/{id}/restart`,
    summary: 'Unbind if bound and connect at once, whatever pause was running.',
    access: 'interconnectionApi',
    params: idParams,
    response: connectionSchema,
  },
  testConnection: {
    method: 'POST',
    path: `${base}/{id}/test`,
    summary:
      'Bind once with the stored credentials and unbind again, reporting each step. A failure is an answer, not an error.',
    access: 'interconnectionApi',
    params: idParams,
    response: connectionTestSchema,
  },
  sendTestMessage: {
    method: 'POST',
    path: `${base}/{id}/send`,
    summary: 'Send an SMS over a connected link.',
    access: 'interconnectionApi',
    scope: 'messages:send',
    params: idParams,
    body: z.object({
      from: senderSchema,
      to: numberInputSchema,
      text: z.string().min(1, 'Enter a text').max(1_000, 'At most 1000 characters'),
    }),
    response: connectionSendSchema,
    status: 202,
    isIdempotent: true,
  },
  listTestMessages: {
    method: 'GET',
    path: `${base}/{id}/sends`,
    summary: 'The last 20 messages sent by hand over a link, and what became of them.',
    access: 'interconnectionApi',
    params: idParams,
    response: z.array(connectionSendSchema),
  },
  listUnmatchedReceipts: {
    method: 'GET',
    path: `${base}/{id}/receipts`,
    summary:
      'Receipts of the last 7 days that came over a link and belong to no message of ours, the newest first; at most 200.',
    access: 'interconnectionApi',
    params: idParams,
    response: z.array(unmatchedReceiptSchema),
  },
})
