// The SMPP gateway's own state: the server, inbound binds, connections to upstreams. Spec §3 SMPP status response; API
// specification.
import { z } from 'zod'
import { okSchema } from '../fields.ts'
import { testStepSchema } from './link-checks.ts'
import { routes } from '../route.ts'
import { bindTypes, connectionStatuses } from '../vocabulary.ts'

const outboundLinkSchema = z.object({
  id: z.string(),
  name: z.string(),
  status: z.enum(connectionStatuses),
  errorCode: z.int().nullable(),
  errorText: z.string(),
  attempts: z.int(),
  lastAttempt: z.string().nullable(),
})

const smppStatusSchema = z.object({
  server: z.object({
    running: z.boolean(),
    port: z.int(),
    /** Whether peers can bind over TLS. Absent when the node that answers runs no SMPP server. */
    hasTls: z.boolean().optional(),
    /** Bound sessions of peers, all nodes together. */
    connections: z.int(),
    startedAt: z.string().nullable(),
  }),
  cdr: z.object({
    /** Stored records. */
    records: z.int(),
    /** Numbers under management. */
    numbers: z.int(),
    /** Numbers that have a holder. */
    assigned: z.int(),
    /** Accept time of the last minute, receipt to answer, at this node; null when there was no traffic. */
    acceptP50Ms: z.number().nullable(),
    acceptP99Ms: z.number().nullable(),
    /** Accepted messages per second over the last minute; for staff. */
    messagesPerSecond: z.number().optional(),
  }),
  outbound: z.object({ failing: z.boolean(), connections: z.array(outboundLinkSchema) }),
  /** The result of the last check of the ledger; absent before the first. */
  ledger: z
    .object({
      balanced: z.boolean(),
      /** The sum of all differences, USDT. */
      imbalance: z.string(),
      /** Parked accounts: they get no money until they balance. */
      parkedCount: z.int(),
      checkedAt: z.string(),
    })
    .optional(),
})
export type SmppStatus = z.infer<typeof smppStatusSchema>

export const bindSchema = z.object({
  id: z.string(),
  systemId: z.string(),
  username: z.string(),
  userId: z.int(),
  bindType: z.enum(bindTypes),
  interfaceVersion: z.string(),
  remoteAddress: z.string(),
  isTls: z.boolean(),
  node: z.string(),
  boundAt: z.string(),
  lastActivityAt: z.string(),
  /** Over the last minute. */
  messagesPerSecond: z.number(),
  received: z.int(),
  windowUsed: z.int(),
  windowMax: z.int(),
})

const serverTestSchema = z.object({
  success: z.boolean(),
  error: z.string().optional(),
  port: z.int(),
  steps: z.array(testStepSchema),
})
export type ServerTest = z.infer<typeof serverTestSchema>

const throughputSchema = z.object({
  /** When the first step begins. */
  from: z.string(),
  stepSeconds: z.int(),
  /** Accepted messages of each whole step, the oldest first. */
  counts: z.array(z.int()),
})
export type Throughput = z.infer<typeof throughputSchema>

export const gatewayRoutes = routes({
  getSmppStatus: {
    method: 'GET',
    path: '/api/smpp/status',
    summary: 'Whether the SMPP server runs, how many are bound, what is stored.',
    access: 'signedIn',
    response: smppStatusSchema,
  },
  testServer: {
    method: 'POST',
    path: '/api/smpp/test',
    summary: 'Connect to the SMPP port of the node that answers, as a peer would. A failure is an answer.',
    access: 'smppControl',
    response: serverTestSchema,
  },
  getThroughput: {
    method: 'GET',
    path: '/api/smpp/throughput',
    summary: 'Messages accepted in the last 15 minutes, in steps of 10 seconds: all sources, all nodes.',
    access: 'smppControl',
    response: throughputSchema,
  },
  listBinds: {
    method: 'GET',
    path: '/api/smpp/binds',
    summary: 'Peers that are bound now, on every node.',
    access: 'smppControl',
    response: z.array(bindSchema),
  },
  disconnectBind: {
    method: 'POST',
    path: '/api/smpp/binds/{id}/disconnect',
    summary: 'Unbind a peer.',
    access: 'smppControl',
    params: z.object({ id: z.string().max(64) }),
    response: okSchema,
  },
  listRefusals: {
    method: 'GET',
    path: '/api/smpp/refusals',
    summary:
      'Messages refused in the last 7 days, by reason, destination and supplier or connection, with the last PDU that could not be taken.',
    access: 'interconnectionApi',
    response: z.array(
      z.object({
        day: z.string(),
        reason: z.string(),
        number: z.string(),
        /** The bind's system_id, or the connection's or provider's name. */
        gateway: z.string(),
        count: z.int(),
        lastAt: z.string(),
        /** The command_statuses that were answered, the most frequent first; none where the reason tells it. */
        statuses: z.array(z.object({ status: z.int(), count: z.int() })),
        /** What was wrong with the last PDU that could not be read or taken; empty for other refusals. */
        detail: z.string(),
        /** Its octets in hexadecimal; `··` stands for each octet of a text. Of a long PDU the first 512 are there. */
        octets: z.string(),
      }),
    ),
  },
})
