// Test messages that a person sends to one of our numbers. They take the way of any message and earn nobody anything.
import { z } from 'zod'
import { numberInputSchema, senderSchema } from '../fields.ts'
import { routes } from '../route.ts'

/** The supplier's name in the records of test messages; suppliers of the source `api` are simulators only. */
export const simulatorName = 'Simulator'

/** How many test messages one person may send in an hour. */
export const testMessagesPerHour = 20

export const simulatorRoutes = routes({
  simulateMessage: {
    method: 'POST',
    path: '/api/simulator/messages',
    summary:
      'Send a test message to a number as a supplier would: it is stored, shown and handed on, and earns nobody anything. Staff to any number, clients to their own.',
    access: 'numberRequests',
    body: z.object({
      from: senderSchema.refine((text) => text !== '', 'Enter a number or a name'),
      to: numberInputSchema,
      text: z.string().min(1, 'Enter a text').max(160, 'At most 160 characters'),
    }),
    response: z.object({
      /** The id of its record. */
      messageId: z.string(),
      /** The username of who holds the number; empty when nobody does. */
      client: z.string(),
      /** What a message of a supplier would earn the client now; null when nobody holds the number. */
      price: z.object({ usdPerSms: z.string(), from: z.enum(['number', 'client', 'global']) }).nullable(),
    }),
    status: 201,
    isIdempotent: true,
  },
})
