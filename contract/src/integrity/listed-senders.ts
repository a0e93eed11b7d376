// The hot list: senders, and blocks of senders, whose messages are doubtful because somebody said so.
import { z } from 'zod'
import { reasonSchema } from '../billing/debts.ts'
import {
  daySchema,
  fitsSenderName,
  idParams,
  idSchema,
  normaliseNumber,
  pageQuery,
  searchSchema,
} from '../fields.ts'
import { importUpload } from '../numbers/numbers.ts'
import { plainFigures } from '../plain-text.ts'
import { routes } from '../route.ts'
import { messageFields } from '../sentences.ts'

/** An entry as it is stored: digits without a plus, or a name; a block without its last four digits. */
export interface ListedSenderName {
  readonly sender: string
  readonly isBlock: boolean
}

/**
 * Reads a sender (`+44 7700 900123`, `WINNER`), or a block of ten thousand numbers as its digits and a star
 * (`+44 7700 90*`, `44770090****`); undefined for anything else.
 */
export function readListedSender(text: string): ListedSenderName | undefined {
  const [, start = '', stars = ''] = /^([^*]*?)\s*(\*{0,4})$/.exec(plainFigures(text).trim()) ?? []
  const digits = normaliseNumber(start)
  // A telephone number has 8 to 15 digits here, so its block has 4 to 11.
  if (stars !== '') return /^[1-9]\d{3,10}$/.test(digits) ? { sender: digits, isBlock: true } : undefined
  if (/^\d{3,20}$/.test(digits)) return { sender: digits, isBlock: false }
  const name = start.trim()
  // A name has a letter: what has none is a number that was mistyped.
  return name !== '' && /\p{L}/u.test(name) && !/\p{Cc}/u.test(name) && fitsSenderName(name)
    ? { sender: name, isBlock: false }
    : undefined
}

/** A sender or a block as a person enters it. */
const listedSenderInput = z
  .string()
  .max(40)
  .transform((text, context) => {
    const read = readListedSender(text)
    if (read !== undefined) return read
    context.addIssue('Enter a sender, such as +44 7700 900123 or a name, or a block such as +44 7700 90*')
    return z.NEVER
  })

/** Whether an entry counts now. */
export const listedStates = ['active', 'ended'] as const

const listedSenderSchema = z.object({
  id: idSchema,
  sender: z.string(),
  /** Whether it means all senders with these digits and four more. */
  isBlock: z.boolean(),
  reason: z.string(),
  /** The last day of messages that it names, in UTC; null without an end. */
  untilDay: z.string().nullable(),
  state: z.enum(listedStates),
  listedBy: z.string(),
  listedAt: z.string(),
  removedBy: z.string(),
  removedAt: z.string().nullable(),
  removalReason: z.string(),
})
export type ListedSender = z.infer<typeof listedSenderSchema>

/** Faulty lines that a report names. */
export const listedFaultsMax = 500

const listedReportSchema = z.object({
  lineCount: z.int(),
  addedCount: z.int(),
  /** Lines whose sender was on the list: it has their reason and their last day now. */
  renewedCount: z.int(),
  /** False for a check, and when a line is faulty: then nothing is changed. */
  isApplied: z.boolean(),
  /** The first 500. */
  faults: z.array(z.object({ line: z.int(), sender: z.string(), ...messageFields })),
  faultCount: z.int(),
})
export type ListedReport = z.infer<typeof listedReportSchema>

const listQuery = z.object({
  state: z.enum(listedStates).optional(),
  /** In a sender or a reason. */
  search: searchSchema.optional(),
})

export const listedSenderRoutes = routes({
  listListedSenders: {
    method: 'GET',
    path: '/api/integrity/listed-senders',
    summary: 'The hot list: senders and blocks of senders whose messages are doubtful, the newest first.',
    access: 'holdReview',
    query: pageQuery.extend(listQuery.shape),
    response: z.array(listedSenderSchema),
    isPaged: true,
  },
  exportListedSenders: {
    method: 'GET',
    path: '/api/integrity/listed-senders/export',
    summary: 'The hot list as CSV. It can be imported again.',
    access: 'holdReview',
    query: listQuery,
    stream: 'csv',
    isHeavy: true,
    onReplica: 'current',
  },
  addListedSender: {
    method: 'POST',
    path: '/api/integrity/listed-senders',
    summary: 'Put a sender or a block on the hot list. One that is on it gets this reason and this last day.',
    access: 'holdReview',
    fresh: 'hour',
    body: z.object({
      sender: listedSenderInput,
      reason: reasonSchema,
      untilDay: daySchema.nullable().default(null),
    }),
    response: listedSenderSchema,
    isIdempotent: true,
  },
  importListedSenders: {
    method: 'POST',
    path: '/api/integrity/listed-senders/import',
    summary:
      'Put the senders of a CSV, .xlsx or .xls file on the hot list, all lines or none: columns sender, reason, until. `dryRun` only reports.',
    access: 'holdReview',
    fresh: 'hour',
    hasDryRun: true,
    query: z.object({
      dryRun: z.enum(['true', 'false']).default('false'),
      /** Of lines without one. */
      reason: reasonSchema.optional(),
      untilDay: daySchema.optional(),
    }),
    ...importUpload,
    isLong: true,
    response: listedReportSchema,
    isIdempotent: true,
  },
  removeListedSender: {
    method: 'PUT',
    path: '/api/integrity/listed-senders/{id}/remove',
    summary: 'Take an entry off the hot list. What was found by it stays.',
    access: 'holdReview',
    fresh: 'hour',
    params: idParams,
    body: z.object({ reason: reasonSchema }),
    response: listedSenderSchema,
    isIdempotent: true,
  },
})
