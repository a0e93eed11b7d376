// The error body of every refusal, and the codes that a caller may act on.
import { z } from 'zod'
import { englishOf, sentenceSchema, sentencesOf, type Sentence, type Words } from './sentences.ts'

/** Error codes with the HTTP status each one is answered with. */
const errorStatuses = {
  invalid: 400,
  signed_out: 401,
  wrong_credentials: 401,
  /** The password is right, and a code or a passkey is required as well. */
  second_factor: 401,
  forbidden: 403,
  reauthenticate: 403,
  /** The session may do nothing else until its person has chosen a new password. */
  password_change_required: 403,
  /** The session may do nothing else until its person has set up a second factor. */
  second_factor_required: 403,
  foreign_origin: 403,
  registration_closed: 403,
  not_found: 404,
  wrong_state: 409,
  taken: 409,
  stale: 409,
  too_large: 413,
  unsupported_body: 415,
  unprocessable: 422,
  too_many: 429,
  internal: 500,
  unavailable: 503,
} as const
export type ErrorCode = keyof typeof errorStatuses

/**
 * `fields` maps the path of each faulty field to its message; every 400 and 422 has it. A message with values in it comes
 * as sentences too, for readers of another language: `words`, and `fieldWords` for those of fields (decision 81).
 */
export const errorBodySchema = z.object({
  code: z.string(),
  message: z.string(),
  words: z.array(sentenceSchema).optional(),
  fields: z.record(z.string(), z.string()).optional(),
  fieldWords: z.record(z.string(), z.array(sentenceSchema)).optional(),
  requestId: z.string().optional(),
})
export type ErrorBody = z.infer<typeof errorBodySchema>

/** The path of each faulty field, and what is wrong with it. */
export type Faults = Readonly<Record<string, Words>>

interface RefusalExtra {
  readonly fields?: Faults
  readonly retryAfterSeconds?: number
}

/**
 * An expected no: thrown by rules and services, answered as `{code, message, fields?}`.
 * `message` is fit for a toast: what happened and what to do, no secret, no SQL. With values in it, it is a sentence, or
 * several.
 */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  /** The sentences of the message, when it has values in it. */
  readonly words: Sentence[] | undefined
  readonly fields: Readonly<Record<string, string>> | undefined
  /** The sentences of those fields whose message has values in it. */
  readonly fieldWords: Readonly<Record<string, Sentence[]>> | undefined
  /** Seconds after which the call may be tried again; sent as Retry-After. */
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: Words, extra: RefusalExtra = {}) {
    super(englishOf(message))
    const faults = Object.entries(extra.fields ?? {})
    const valued = faults.filter(([, fault]) => typeof fault !== 'string')
    this.code = code
    this.words = typeof message === 'string' ? undefined : sentencesOf(message)
    this.fields = extra.fields && Object.fromEntries(faults.map(([name, fault]) => [name, englishOf(fault)]))
    this.fieldWords =
      valued.length === 0
        ? undefined
        : Object.fromEntries(valued.map(([name, fault]) => [name, sentencesOf(fault)]))
    this.retryAfterSeconds = extra.retryAfterSeconds
  }

  /** The HTTP status of this refusal. */
  get status(): number {
    return errorStatuses[this.code]
  }
}
