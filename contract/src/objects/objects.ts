// One thing at a time: finding it by any of its names, and what staff note about it.
import { z } from 'zod'
import { idParams, idSchema, okSchema, searchSchema } from '../fields.ts'
import { routes } from '../route.ts'

/** What a search can find. A supplier is a person with an SMPP side. */
const foundKinds = [
  'person',
  'number',
  'range',
  'connection',
  'provider',
  'endpoint',
  'bill',
  'payment',
  'transfer',
  'record',
  'hold',
] as const
export type FoundKind = (typeof foundKinds)[number]

/** The most that a search shows of one kind. */
export const foundPerKindMax = 6

const foundSchema = z.object({
  kind: z.enum(foundKinds),
  /** Of a bill its period, of a record its message id, of a transfer its transaction's hash. */
  id: z.string(),
  /** Its name, as the screens show it. */
  title: z.string(),
  /** What tells it from others of that name. */
  detail: z.string(),
  /** The bill that a payment is for; empty for a payment without one, and for everything else. */
  periodId: z.string(),
})
export type Found = z.infer<typeof foundSchema>

/** What staff write notes on, by the word that the audit log has for it. */
const notedTypes = [
  'user',
  'number',
  'range',
  'connection',
  'provider',
  'endpoint',
  'billing_period',
  'integrity_case',
] as const
export type NotedType = (typeof notedTypes)[number]

const notedSchema = z.object({
  objectType: z.enum(notedTypes),
  objectId: z.string().regex(/^(custom|[1-9]\d{0,9}(-[1-9]\d{0,9})?)$/, 'Unknown id'),
})

/** The longest note. */
export const noteLengthMax = 2000

const noteSchema = z.object({
  id: idSchema,
  authorId: z.int(),
  author: z.string(),
  text: z.string(),
  createdAt: z.string(),
})
export type Note = z.infer<typeof noteSchema>

export const objectsRoutes = routes({
  search: {
    method: 'GET',
    path: '/api/search',
    summary:
      'Find people, numbers, ranges, connections, providers, endpoints, bills, payments, transfers, records and holds by names, digits, ids or hashes. Clients find their own.',
    access: 'signedIn',
    query: z.object({ q: searchSchema }),
    response: z.array(foundSchema),
  },
  listNotes: {
    method: 'GET',
    path: '/api/notes',
    summary: 'What staff noted about one object, newest first; at most 200.',
    access: 'notes',
    query: notedSchema,
    response: z.array(noteSchema),
  },
  createNote: {
    method: 'POST',
    path: '/api/notes',
    summary: 'Note something about an object. Only staff read it.',
    access: 'notes',
    body: notedSchema.extend({
      text: z
        .string()
        .trim()
        .min(1, 'Write the note first')
        .max(noteLengthMax)
        .refine((text) => !text.includes('\0'), 'Control characters are not allowed'),
    }),
    response: noteSchema,
    status: 201,
    isIdempotent: true,
  },
  deleteNote: {
    method: 'DELETE',
    path: '/api/notes/{id}',
    summary: 'Delete a note of one’s own; an admin may delete any.',
    access: 'notes',
    params: idParams,
    response: okSchema,
  },
})
