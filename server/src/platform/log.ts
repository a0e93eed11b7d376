// Logs are JSON lines in UTC. They never hold a password, a key, a message's text or a whole telephone number.
import pg from 'pg'
import { pino, stdTimeFunctions, type DestinationStream, type Logger } from 'pino'
import type { LogLevel } from './config.ts'

export type { Logger }

// Whatever object is logged by mistake, at the top or one level down: these fields never show.
const secretFields = [
  'password',
  'currentPassword',
  'newPassword',
  'apiKey',
  'secret',
  'secretKey',
  'token',
  'authorization',
  'cookie',
  'text',
  'shortMessage',
  'messagePayload',
]

/** A logger that writes to stdout, or to `destination`. `node` tells the lines of several nodes apart. */
export function createLogger(level: LogLevel, node = '', destination?: DestinationStream): Logger {
  const options = {
    level,
    base: node === '' ? {} : { node },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    serializers: { err: describeError },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** What of an error may be read by whoever reads logs: PostgreSQL's detail and hints quote rows, so they stay out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as NodeJS.ErrnoException
  // Class 22 says which value was bad by quoting it.
  const isQuoting = error instanceof pg.DatabaseError && error.code?.startsWith('22') === true
  const message = isQuoting ? 'a value was not accepted' : error.message
  const stack = isQuoting ? error.stack?.replace(error.message, message) : error.stack
  return {
    type: error.name,
    message,
    ...(code === undefined ? {} : { code }),
    ...(error instanceof pg.DatabaseError && error.constraint !== undefined
      ? { constraint: error.constraint }
      : {}),
    stack,
    ...(error.cause instanceof Error ? { cause: describeError(error.cause) } : {}),
  }
}
