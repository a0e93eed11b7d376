// Logs are JSON lines in UTC, or on a terminal one coloured line each. They never hold a password, a key, a message's
// text or a whole telephone number.
import pg from 'pg'
import { pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino'
import { prettyFactory } from 'pino-pretty'
import { OutageLines } from './outage-lines.ts'
import type { LogFormat, LogLevel } from './process/config.ts'

export type { Logger }

// These fields never show, at the top or one level down, even when an object is logged by mistake.
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

export interface LogOptions {
  /** The node's name, to distinguish the lines of several nodes. */
  readonly node?: string
  /** 'auto' is text when stdout is a terminal, JSON otherwise. */
  readonly format?: LogFormat
  /** Where lines go instead of stdout. */
  readonly destination?: DestinationStream
}

/** Makes a logger that writes lines of `level` and of more serious levels. */
export function createLogger(
  level: LogLevel,
  { node = '', format = 'json', destination }: LogOptions = {},
): Logger {
  const outage = new OutageLines(() => logger)
  const options: LoggerOptions = {
    level,
    base: node === '' ? {} : { node },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: secretFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    serializers: { err: describeError },
    hooks: {
      logMethod(given, write) {
        if (!outage.takes(given[0])) write.apply(this, given)
      },
    },
  }
  const isText = format === 'text' || (format === 'auto' && process.stdout.isTTY)
  const logger = isText
    ? pino(options, textLines(destination ?? process.stdout))
    : destination === undefined
      ? pino(options)
      : pino(options, destination)
  return logger
}

/** Turns each JSON line into one for people: the time of this machine, the level in colour, the message, the rest. */
function textLines(destination: Pick<DestinationStream, 'write'>): DestinationStream {
  const toText = prettyFactory({
    // Respects NO_COLOR.
    colorize: process.stdout.isTTY && process.stdout.hasColors(),
    singleLine: true,
    translateTime: 'SYS:HH:MM:ss.l',
    ignore: 'node',
    levelFirst: false,
  })
  return {
    write(line) {
      destination.write(toText(line) ?? line)
    },
  }
}

/** The parts of an error that may be logged: PostgreSQL's detail and hints quote rows, so they are left out. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const { code } = error as NodeJS.ErrnoException
  // Messages of class 22 quote the bad value.
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
