// Turns errors into responses. A refusal keeps its message; anything else becomes a request id, and goes to the log.
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal, type ErrorBody, type ErrorCode } from '@tollgate/contract/errors.ts'
import { isDatabaseAway } from '../platform/database/away.ts'
import { sqlState } from '../platform/db.ts'

/** The refusal behind an error: the error itself, or what an error of the framework or the database means to the caller. */
function asRefusal(error: unknown): Refusal | undefined {
  if (error instanceof Refusal) return error
  return fromFramework(error) ?? fromDatabase(error)
}

const byStatus: Readonly<Record<number, [ErrorCode, string]>> = {
  400: ['invalid', 'The request cannot be read.'],
  // The file server's error for a path that leads out of its folder.
  403: ['not_found', 'There is nothing at this address.'],
  404: ['not_found', 'There is nothing at this address.'],
  413: ['too_large', 'The body is too large.'],
  414: ['invalid', 'The address is too long.'],
  415: ['unsupported_body', 'Send the body as application/json.'],
  431: ['invalid', 'The headers are too long.'],
}

function fromFramework(error: unknown): Refusal | undefined {
  const { statusCode, code } = error as { statusCode?: number; code?: string }
  if (statusCode === undefined || typeof code !== 'string') return undefined
  if (code === 'FST_REQ_FILE_TOO_LARGE')
    return new Refusal('too_large', 'The file is larger than 5 MB. Send it in parts.')
  const [kind, message] = byStatus[statusCode] ?? []
  if (kind === undefined || message === undefined) return undefined
  return new Refusal(kind, message, kind === 'invalid' ? { fields: { body: message } } : {})
}

function fromDatabase(error: unknown): Refusal | undefined {
  if (isDatabaseAway(error))
    return new Refusal('unavailable', 'The database does not answer. Try again in a moment.', {
      retryAfterSeconds: 2,
    })
  // 22021, 22P05: text that no encoding holds; 22003, 22008: beyond what a column can hold. Input, whatever field it
  // was.
  if (/^(22021|22P05|22003|22008)$/.test(sqlState(error) ?? ''))
    return new Refusal('invalid', 'A value is out of range or contains characters that cannot be stored.', {
      fields: { body: 'Out of range, or with characters that cannot be stored' },
    })
  return undefined
}

/** Logs what is not the caller's own fault, with the call's id; gives the refusal that the error is or means, if any. */
export function noteFailure(error: unknown, request: FastifyRequest): Refusal | undefined {
  const refusal = asRefusal(error)
  if (refusal === undefined) request.log.error({ err: error }, 'a request failed')
  else if (refusal.code === 'unavailable') request.log.warn({ err: error }, 'the database is away')
  return refusal
}

/** Answers an error. No stack, SQL or secret leaves the server. */
export function answerFailure(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = noteFailure(error, request)
  const found =
    refusal ??
    new Refusal(
      'internal',
      'Something went wrong on our side. Try again; if it stays, tell support the request id.',
    )
  if (found.retryAfterSeconds !== undefined)
    void reply.header('retry-after', String(Math.max(1, Math.ceil(found.retryAfterSeconds))))
  // Node.js reads what is left of a body, however long, before the next call of the connection.
  if (!request.raw.complete && !isShort(request)) void reply.header('connection', 'close')
  return reply
    .code(found.status)
    .type('application/json; charset=utf-8')
    .send(JSON.stringify(bodyOf(found, request.id)))
}

const shortBytes = 64 * 1024

function isShort({ headers }: FastifyRequest): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= shortBytes
}

function bodyOf(refusal: Refusal, requestId: string): ErrorBody {
  const { code, message, words, fields, fieldWords, status } = refusal
  return {
    code,
    message,
    ...(words && { words }),
    ...(fields && { fields }),
    ...(fieldWords && { fieldWords }),
    ...(status >= 500 ? { requestId } : {}),
  }
}
