// What connections and endpoints have in common: their activity, settings and health.
// Spec §2 Interconnection API, Monitoring.
import { z } from 'zod'
import { orderSchema, pageQuery, wholeNumber } from '../fields.ts'
import { detailFields } from '../gateway/link-checks.ts'
import { routes } from '../route.ts'
import { schemaMessage } from '../schema-messages.ts'
import { sentence } from '../sentences.ts'

export const linkKinds = ['connection', 'endpoint'] as const
export type LinkKind = (typeof linkKinds)[number]

export const activityTones = ['ok', 'info', 'warn', 'bad', 'idle'] as const

const activitySchema = z.object({
  id: z.string(),
  at: z.string(),
  kind: z.enum(linkKinds),
  /** Of the connection or endpoint, which may be gone. */
  objectId: z.string(),
  name: z.string(),
  /** What happened, such as 'Connected'. */
  title: z.string(),
  ...detailFields,
  tone: z.enum(activityTones),
  /** The username of the person who did it; empty when the gateway did. */
  by: z.string(),
})
export type Activity = z.infer<typeof activitySchema>

const seconds = (min: number, max: number) =>
  wholeNumber(min, max, 'Enter whole seconds', schemaMessage(sentence('From {min} to {max}', { min, max })))

/** Settings of all connections and endpoints. */
export const linkConfigSchema = z.object({
  /** Seconds of silence before a connection is probed with enquire_link (SMPP 3.4 §4.11). */
  enquireLinkSeconds: seconds(5, 300),
  /** Seconds to wait for an answer to a message that we sent. */
  answerSeconds: seconds(2, 120),
  /** Messages that may be unanswered on one connection. SMPP 3.4 §2.7 advises at most 10. */
  sendWindow: wholeNumber(1, 100, 'Enter a whole number', 'From 1 to 100'),
  /** The longest pause between two attempts to connect; five times as long after a refused password. */
  retryPauseSeconds: seconds(5, 300),
  /** Whether endpoints are delivered to; what comes meanwhile waits. */
  isDelivering: z.boolean(),
})
export type LinkConfig = z.infer<typeof linkConfigSchema>

const healthStates = ['ok', 'warn', 'bad', 'idle'] as const

const linkHealthSchema = z.object({
  checkedAt: z.string(),
  /** The worst of all checks; idle ones do not count. */
  state: z.enum(healthStates),
  checks: z.array(
    z.object({
      kind: z.enum(['gateway', ...linkKinds]),
      name: z.string(),
      state: z.enum(healthStates),
      ...detailFields,
    }),
  ),
})
export type LinkHealth = z.infer<typeof linkHealthSchema>

const base = '/api/interconnection'
const activityFilters = z.object({ kind: z.enum(linkKinds).optional() })

export const interconnectionRoutes = routes({
  listActivity: {
    method: 'GET',
    path: `${base}/activity`,
    summary: 'What happened to connections and endpoints in the last 30 days, newest first unless said.',
    access: 'interconnectionApi',
    query: pageQuery.extend({ ...activityFilters.shape, order: orderSchema }),
    response: z.array(activitySchema),
    isPaged: true,
  },
  exportActivity: {
    method: 'GET',
    path: `${base}/activity/export`,
    summary: 'What happened in the last 30 days as CSV, newest first.',
    access: 'interconnectionApi',
    query: activityFilters,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  getLinkConfig: {
    method: 'GET',
    path: `${base}/config`,
    summary: 'The settings of all connections and endpoints.',
    access: 'interconnectionApi',
    response: linkConfigSchema,
  },
  putLinkConfig: {
    method: 'PUT',
    path: `${base}/config`,
    summary:
      'Change the settings of all. Connections take it up when they next bind, deliveries at once. With `seen`, what the screen showed, 409 stale when something else holds.',
    access: 'adminSettings',
    fresh: 'hour',
    body: linkConfigSchema.partial().extend({ seen: linkConfigSchema.partial().optional() }),
    response: linkConfigSchema,
  },
  checkHealth: {
    method: 'GET',
    path: `${base}/health`,
    summary: 'Looks at the database, the SMPP server, each connection, each endpoint and the deliveries now.',
    access: 'interconnectionApi',
    response: linkHealthSchema,
  },
  restartAll: {
    method: 'POST',
    path: `${base}/restart`,
    summary: 'Restart every connection that should be bound; those that were disconnected stay so.',
    access: 'interconnectionApi',
    response: z.object({ count: z.int() }),
  },
})
