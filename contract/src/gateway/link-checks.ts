// What checks of links say: the steps of a test, and what happened.
import { z } from 'zod'
import { sentenceSchema } from '../sentences.ts'

/** A text of an answer; `detailWords` when it has values in it. */
export const detailFields = { detail: z.string(), detailWords: z.array(sentenceSchema).optional() }

/** One step of a test, in order; the last one says where it ended. */
export const testStepSchema = z.object({
  step: z.string(),
  ...detailFields,
  isOk: z.boolean(),
  durationMs: z.number(),
})
