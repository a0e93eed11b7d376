// What endpoints are told, and how each delivery went.
import { z } from 'zod'
import { endpointMethods } from '../vocabulary.ts'

/**
 * What an endpoint can be told, and the types of each event. `completed` is a long message whose parts are all there.
 */
export const endpointEvents = {
  message: ['record.created'],
  completed: ['message.completed'],
  receipt: ['record.updated'],
  bill: ['bill.created', 'bill.updated', 'payout.created'],
  payment: ['payment.confirmed'],
  request: ['request.created', 'request.updated'],
  /** What an alert rule that names the endpoint tells; for staff's endpoints. */
  alert: ['alert.opened', 'alert.repeated', 'alert.recovered'],
} as const
export type EndpointEventName = keyof typeof endpointEvents
export const endpointEventNames = Object.keys(endpointEvents) as [EndpointEventName, ...EndpointEventName[]]

/** The type of a delivery: what happened, or a test of the address. */
const deliveryTypes = [...Object.values(endpointEvents).flat(), 'endpoint.test'] as const
export type DeliveryType = (typeof deliveryTypes)[number]
export const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

export const deliverySchema = z.object({
  id: z.string(),
  /** The `webhook-id` header: the same at each attempt. */
  webhookId: z.string(),
  type: z.enum(deliveryTypes),
  /** What it is about: the id of the record, bill, payment or request; empty for a test. */
  subject: z.string(),
  /** The record's id; empty when it is about something else. */
  recordId: z.string(),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  responseStatus: z.int().nullable(),
  error: z.string(),
  createdAt: z.string(),
  lastAttempt: z.string().nullable(),
  /** Time of the next attempt; null when there is none. */
  nextAttempt: z.string().nullable(),
})
export type Delivery = z.infer<typeof deliverySchema>

const headersSchema = z.array(z.object({ name: z.string(), value: z.string() }))

const attemptSchema = z.object({
  at: z.string(),
  durationMs: z.int(),
  /** Null when no answer came. */
  responseStatus: z.int().nullable(),
  error: z.string(),
  /** What the other side answered; null when it accepted, because that answer is not read, and when none came. */
  answer: z
    .object({
      headers: headersSchema,
      /** The beginning of the body. */
      body: z.string(),
    })
    .nullable(),
})
export type EndpointAttempt = z.infer<typeof attemptSchema>

export const deliveryDetailSchema = deliverySchema.extend({
  /** The request as it would be sent now. The signature and message texts are masked. */
  request: z.object({
    method: z.enum(endpointMethods),
    url: z.string(),
    headers: headersSchema,
    /** JSON; empty for a GET, and when the record is not kept any more. */
    body: z.string(),
  }),
  /** The latest attempts, the newest first. Failed ones are kept for seven days. */
  history: z.array(attemptSchema),
})
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>
