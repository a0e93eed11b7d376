// What a carrier counted beside what was counted here, by day and number, or by day and status.
import { z } from 'zod'
import { importUpload } from '../numbers/numbers.ts'
import { routes } from '../route.ts'
import { messageFields } from '../sentences.ts'
import { recordStatuses } from '../vocabulary.ts'

/** Lines of one file. */
export const countLinesMax = 20_000
/** Differences, and faulty lines, that a comparison names. */
export const countsShownMax = 500

const differenceSchema = z.object({
  day: z.string(),
  /** Empty for a line of all numbers. */
  number: z.string(),
  /** Null for a line of all states. */
  status: z.enum(recordStatuses).nullable(),
  theirCount: z.int(),
  ourCount: z.int(),
})
export type CountDifference = z.infer<typeof differenceSchema>

const comparisonSchema = z.object({
  lineCount: z.int(),
  faults: z.array(z.object({ line: z.int(), number: z.string(), ...messageFields })),
  faultCount: z.int(),
  /** Of the lines without a fault. */
  sameCount: z.int(),
  theirCount: z.int(),
  ourCount: z.int(),
  differenceCount: z.int(),
  /** The largest 500. Numbers of the file on its days are among them where only we counted messages. */
  differences: z.array(differenceSchema),
})
export type CountComparison = z.infer<typeof comparisonSchema>

export const carrierCountRoutes = routes({
  compareCounts: {
    method: 'POST',
    path: '/api/integrity/carrier-counts',
    summary:
      'Compare a file of what a carrier counted with the counters here; nothing is stored. Columns: day, count, and number or status.',
    access: 'holdReview',
    query: z.object({
      /** The supplier that the carrier is, by its name; without it all of them together. */
      gateway: z.string().max(100).optional(),
    }),
    ...importUpload,
    isHeavy: true,
    response: comparisonSchema,
  },
})
