// The error of a call that the server did not answer with success. Spec §8.
import { errorBodySchema, type ErrorBody } from '@tollgate/contract/errors.ts'
import { z } from 'zod'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

function readBody(text: string): ErrorBody | undefined {
  try {
    const parsed = errorBodySchema.safeParse(JSON.parse(text))
    return parsed.success ? parsed.data : undefined
  } catch {
    // Proxies answer in HTML or plain text. Then the text itself is the message.
    return undefined
  }
}

/**
 * The `message` is the status, a colon, a space and the body, or the status text when the body is empty (Spec §8).
 * `reason` is the text for people: the server's own message, if it sent one.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly reason: string
  /** Field name → its error, on 400 and 422. */
  readonly fields: Readonly<Record<string, string>>
  readonly requestId: string | undefined

  constructor(status: number, statusText: string, body: string, requestId?: string) {
    super(`${status}: ${body === '' ? statusText : body}`)
    const refusal = readBody(body)
    this.status = status
    this.code = refusal?.code ?? 'unknown'
    this.reason =
      refusal === undefined
        ? statusText || t('The server answered {status}', { status })
        : formatWords(refusal.words ?? refusal.message)
    this.fields = Object.fromEntries(
      Object.entries({ ...refusal?.fields, ...refusal?.fieldWords }).map(([name, fault]) => [
        name,
        formatWords(fault),
      ]),
    )
    this.requestId = refusal?.requestId ?? requestId
  }
}

/** The text to show to a person for any thrown value. */
export function messageOf(error: unknown): string {
  if (error instanceof ApiError) return error.reason
  // Without any answer fetch rejects with a TypeError, whose text differs by browser.
  if (error instanceof TypeError) return t('The server cannot be reached. Check your connection.')
  // A tab that was left open while the gateway was upgraded reads answers of a newer contract.
  if (error instanceof z.ZodError)
    return t('This page does not understand the answer: the gateway may have been upgraded. Reload the page.')
  // Proxies and the sign-in pages of networks answer with a page of their own, and say that all is well.
  if (error instanceof SyntaxError)
    return t('Something between this browser and the gateway has answered in its place. Reload the page.')
  return error instanceof Error ? error.message : String(error)
}

/** The request id to quote to support, when the server gave one. */
export function requestIdOf(error: unknown): string | undefined {
  return error instanceof ApiError ? error.requestId : undefined
}
