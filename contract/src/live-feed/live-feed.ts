// The live feed: records and what becomes of them, as a stream of events or page by page.
import { z } from 'zod'
import { wholeNumber } from '../fields.ts'
import { longMessageSchema, rawSchema, recordSchema, sentSchema } from '../records/records.ts'
import { routes } from '../route.ts'

/** Whether events carry text, octets and the other fields of the PDU; each page of them leaves an audit entry. */
const withTexts = z.enum(['true', 'false']).default('false')

const polledSchema = z.object({
  events: z.array(
    z.discriminatedUnion('type', [
      z.object({
        /** Its place in the log: the same in the live feed. */
        id: z.string(),
        type: z.enum(['record', 'record-updated']),
        /** With `texts=true` also what the message carried; null where it is not kept. */
        record: recordSchema.extend({
          encoding: z.string().nullable().optional(),
          raw: rawSchema.nullable().optional(),
          sent: sentSchema.nullable().optional(),
        }),
      }),
      z.object({
        id: z.string(),
        /** A long message whose parts are all there, or have been waited for. */
        type: z.literal('message-completed'),
        message: longMessageSchema.extend({
          /** The first part's; in its order, not in that of arrival. */
          messageId: z.string(),
          reference: z.int(),
          /** With `texts=true`: joined, with the mark […] where parts are missing; null where none is kept. */
          text: z.string().nullable().optional(),
        }),
      }),
    ]),
  ),
  /** For the next call, also after a page without events. */
  cursor: z.string(),
})
export type PolledEvents = z.infer<typeof polledSchema>

export const liveFeedRoutes = routes({
  pollEvents: {
    method: 'GET',
    path: '/api/events/poll',
    summary:
      'The records, their changes and the ends of long messages after a cursor; without events yet, the call may wait for the first one. Without a cursor: the cursor of now.',
    access: 'recordsRead',
    scope: 'events:read',
    query: z.object({
      /** `cursor` of the answer before. */
      cursor: z.string().max(100).optional(),
      limit: wholeNumber(1, 500).default(100),
      /** How long the call may wait for an event. */
      waitSeconds: wholeNumber(0, 30).default(0),
      /** A key needs the scope texts:read for it. */
      texts: withTexts,
    }),
    response: polledSchema,
    isHeavy: 'pieces',
  },
  streamEvents: {
    method: 'GET',
    path: '/api/events',
    summary:
      'Live feed: record, record-updated, message-completed, connection, worker, hold. Resumable by Last-Event-ID.',
    access: 'recordsRead',
    scope: 'events:read',
    /** A browser that opens a new feed cannot send the header, so it may send the id here. */
    query: z.object({ lastEventId: z.string().max(100).optional(), texts: withTexts }),
    stream: 'events',
    // A reader who was away reads the log from where it left.
    isHeavy: 'pieces',
  },
})
