// One fastify route for each contract route: find the caller, parse the input, run the handler, send the result.
import { createHash, randomBytes } from 'node:crypto'
import type { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { Clock } from '../platform/clock.ts'
import type { Config } from '../platform/process/config.ts'
import { HeavyWork, type HeavyLimits, type HeavyPace, type HeavySlot } from '../platform/load/heavy-work.ts'
import { deviceCookie, loginCookie, type LoginCookie } from './login-cookie.ts'
import { networkOf } from '../platform/addresses/network-of.ts'
import { FairQueue } from '../platform/load/fair-queue.ts'
import { answer } from './answer.ts'
import {
  findCaller,
  sessionOrKeyOf,
  refuseOtherBodies,
  refuseUnlessAllowed,
  userAgentOf,
  type FindActor,
} from './authorize.ts'
import { OnceReply, type Actor, type BoundRoutes, type CallContext } from './handlers.ts'
import { onceForKey, type AnswerSecrets } from './idempotency.ts'
import { callerAddress } from './caller-address.ts'
import { callLimit } from './call-limit.ts'
import { loopTurns } from './loop-turns.ts'
import { lateRefusals, type LateRefusals } from './late-refusals.ts'
import { anonymousBodies, type AnonymousBodyLimits } from './anonymous-bodies.ts'
import { bodyLimitOf, readJson, refuseLargeBody } from './json-body.ts'
import { refuseForeignOrigin } from './origin.ts'
import { readFrom, type Handlings } from './read-from.ts'
import { parseInput } from './parse.ts'

// A larger import belongs in several files.
const uploadLimitBytes = 5 * 1024 * 1024
const callsPerSecond = 100
// Calls of a person at the same time: more than a browser makes, and less than half of the pool.
const callsAtOnce = { runningMaxOfKey: 8, waitingMaxOfKey: 200, waitMs: 30_000 }
// Each may work through 100,000 rows.
const longCallsAtOnce = { runningMaxOfKey: 2, waitingMaxOfKey: 4, waitMs: 30_000 }
// Several people may share an address, and nobody has signed in yet.
const anonymousCallsPerSecond = 300

/** What the routes of the API need from the server. */
export interface RouteOptions {
  readonly routes: readonly BoundRoutes[]
  readonly findActor: FindActor
  readonly publicUrl: Config['publicUrl']
  readonly trustedProxies?: Config['trustedProxies']
  /** How heavy calls make room for messages; by default they do not. */
  readonly pace?: HeavyPace
  /** Tighter in tests. */
  readonly heavyLimits?: Partial<HeavyLimits>
  /** Tighter in tests. */
  readonly anonymousBodies?: Partial<AnonymousBodyLimits>
  /** Compared with the time of the sign-in. */
  readonly clock: Clock
  /** Encrypts the answers that are kept for an Idempotency-Key. */
  readonly secrets: AnswerSecrets
}

/** Adds every binding. `stopping` ends the feeds when the server stops. */
export function addRoutes(app: FastifyInstance, options: RouteOptions, stopping: AbortSignal): void {
  readJson(app)
  const cookie = loginCookie(options.publicUrl)
  const device = deviceCookie(options.publicUrl)
  const limits = {
    credentials: callLimit(callsPerSecond),
    person: callLimit(callsPerSecond),
    address: callLimit(anonymousCallsPerSecond),
  }
  const late = lateRefusals()
  const bodies = anonymousBodies(options.anonymousBodies)
  const heavyWork = new HeavyWork({
    limits: options.heavyLimits ?? {},
    ...(options.pace && { pace: options.pace }),
  })
  const calls = new FairQueue(callsAtOnce, tooManyAtOnce)
  const longCalls = new FairQueue(longCallsAtOnce, tooManyAtOnce)
  const loopTurn = loopTurns(() => options.pace?.next() ?? Promise.resolve())
  const actors = new WeakMap<FastifyRequest, Actor>()
  for (const [route, handlings] of options.routes.flatMap(pairs)) {
    app.route({
      method: route.method,
      url: route.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      // A HEAD of a feed or of an export would start it.
      exposeHeadRoute: route.method === 'GET' && route.stream === undefined,
      // Compression would hold events back until it has enough of them.
      ...(route.stream === 'events' ? { compress: false as const } : {}),
      bodyLimit: bodyLimitOf(route),
      onRequest: async (request, reply) => {
        const address = networkOf(callerAddress(request))
        await loopTurn(address)
        refuseForeignOrigin(request, options.publicUrl)
        const credentials = sessionOrKeyOf(request, cookie)
        const secret = credentials?.session ?? credentials?.key
        // Before any query: calls beyond the limit of a session cost next to nothing.
        if (secret !== undefined) await late(secret, () => limits.credentials(secret))
        const actor = await findCaller(request, credentials, options.findActor)
        if (actor === undefined) await late(address, () => limits.address(address))
        else await late(String(actor.userId), () => limits.person(String(actor.userId)))
        refuseUnlessAllowed(route, actor, options.clock, request.query)
        refuseOtherBodies(request, route)
        refuseLargeBody(request, bodyLimitOf(route))
        if (actor === undefined) bodies.admit(request, reply)
        else actors.set(request, actor)
      },
      preValidation: async (request) => bodies.done(request),
      handler: (request, reply) =>
        serve(route, handlings, {
          request,
          reply,
          actor: actors.get(request),
          cookie,
          device,
          stopping,
          heavyWork,
          calls: route.isLong === true ? longCalls : calls,
          late,
          secrets: options.secrets,
        }),
    })
  }
}

type AnyHandler = (input: unknown, context: CallContext<Actor | undefined>) => Promise<unknown>

/** Each route with its handler, without their precise types: the input has passed the schemas of that route. */
function pairs({ table, handlers, onReplica }: BoundRoutes): [Route, Handlings<AnyHandler>][] {
  return Object.entries(table).map(([name, route]) => [
    route,
    {
      onPrimary: handlers[name] as AnyHandler,
      onReplica: onReplica && { ...onReplica, handler: onReplica.handlers[name] as AnyHandler },
    },
  ])
}

interface Exchange {
  readonly request: FastifyRequest
  readonly reply: FastifyReply
  readonly actor: Actor | undefined
  readonly cookie: LoginCookie
  readonly device: LoginCookie
  readonly stopping: AbortSignal
  readonly heavyWork: HeavyWork
  /** The queue of this call's kind. */
  readonly calls: FairQueue
  readonly late: LateRefusals
  readonly secrets: AnswerSecrets
}

async function serve(
  route: Route,
  handlings: Handlings<AnyHandler>,
  exchange: Exchange,
): Promise<FastifyReply> {
  const { request, reply } = exchange
  const file = request.isMultipart() ? await readUpload(request) : undefined
  const input = {
    params: parseInput('params', route, request.params),
    query: parseInput('query', route, request.query),
    body: file === undefined ? parseInput('body', route, request.body) : undefined,
  }
  const slot = route.isHeavy === true ? await enter(exchange) : undefined
  const context = contextOf(exchange, file, onceFor(route, exchange, { input, file }))
  const work = () => readFrom(route, handlings, (handler) => handler(input, context), reply)
  const result = await (slot === undefined ? inTurn(route, exchange, work) : slot.turn(work))
  return answer(route, result instanceof OnceReply ? result.answer : result, {
    ...exchange,
    slot,
    query: input.query,
  })
}

interface ParsedCall {
  readonly input: object
  readonly file: Upload | undefined
}

/**
 * Runs the work once for each key and each call, whose name, parameters and body decide what it does. Without a sign-in
 * there is no account that a key could belong to, so the work runs each time.
 */
function onceFor(
  route: Route,
  { request, actor, secrets }: Exchange,
  { input, file }: ParsedCall,
): CallContext['once'] {
  return async (db, work, first) => {
    const key = actor === undefined ? undefined : header(request, 'idempotency-key')
    const content = key === undefined || file === undefined ? undefined : await hashOf(file.content)
    const call = { userId: actor?.userId ?? 0, key, request: [route.method, route.path, input, content] }
    return new OnceReply(await onceForKey(db, call, work, { secrets, first }))
  }
}

const hashedAtOnceBytes = 256 * 1024

/** SHA-256 in pieces, with messages between them: five megabytes take some 20 ms. */
async function hashOf(content: Buffer): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < content.length; at += hashedAtOnceBytes) {
    hash.update(content.subarray(at, at + hashedAtOnceBytes))
    await setImmediate()
  }
  return hash.digest('base64')
}

/** Limits the calls of one person, or of a network from which nobody has signed in: there each route has its turn. */
async function inTurn<T>(
  route: Route,
  { request, actor, calls, late }: Exchange,
  work: () => Promise<T>,
): Promise<T> {
  const key = actor === undefined ? networkOf(callerAddress(request)) : String(actor.userId)
  const end = await late(key, () => calls.enter(actor === undefined ? { key, subkey: route.path } : { key }))
  try {
    return await work()
  } finally {
    end()
  }
}

function tooManyAtOnce(): Refusal {
  return new Refusal('too_many', 'Too many of your calls are under way. Try again in a few seconds.', {
    retryAfterSeconds: 5,
  })
}

/** For whom heavy work is counted. */
const personOf = ({ request, actor }: Pick<Exchange, 'request' | 'actor'>) =>
  actor === undefined ? callerAddress(request) : String(actor.userId)

/** A slot among the heavy calls, kept until the response is sent or the caller is gone. */
async function enter(exchange: Exchange): Promise<HeavySlot> {
  const { reply, heavyWork, late } = exchange
  const person = personOf(exchange)
  const slot = await late(person, () => heavyWork.enter(person))
  reply.raw.once('close', () => slot.end())
  if (reply.raw.destroyed) slot.end()
  return slot
}

function contextOf(
  { request, reply, actor, cookie, device, stopping, heavyWork }: Exchange,
  file: Upload | undefined,
  once: CallContext['once'],
): CallContext<Actor | undefined> {
  const signal = lazySignal(reply, stopping)
  let deviceName: string | undefined
  const nameOfDevice = () =>
    (deviceName ??= device.read(request.headers.cookie) ?? randomBytes(32).toString('base64url'))
  return {
    actor,
    file,
    once,
    ip: callerAddress(request),
    userAgent: userAgentOf(request),
    requestId: request.id,
    get piece() {
      return heavyWork.piecesOf(personOf({ request, actor }), signal())
    },
    get device() {
      return nameOfDevice()
    },
    get signal() {
      return signal()
    },
    header: (name) => header(request, name),
    setSessionCookie(value) {
      void reply.header(
        'set-cookie',
        value === undefined ? cookie.forget(request) : cookie.write(value, request),
      )
      if (value !== undefined) void reply.header('set-cookie', device.write(nameOfDevice(), request))
    },
  }
}

// Longer ones are an attack or a mistake, and could be stored.
const headerLengthMax = 300

function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  if (typeof value !== 'string' || value === '') return undefined
  if (value.length > headerLengthMax)
    throw new Refusal('invalid', sentence('The {name} header is too long.', { name }), {
      fields: { [name]: sentence('At most {count} characters', { count: headerLengthMax }) },
    })
  return value
}

/** Most calls never ask for the signal, so its listeners are made for those that do. */
function lazySignal(reply: FastifyReply, stopping: AbortSignal): () => AbortSignal {
  let signal: AbortSignal | undefined
  return () => {
    if (signal !== undefined) return signal
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    if (reply.raw.destroyed) gone.abort()
    return (signal = AbortSignal.any([gone.signal, stopping]))
  }
}

type Upload = NonNullable<CallContext['file']>

async function readUpload(request: FastifyRequest): Promise<Upload> {
  try {
    return await readFile(request)
  } catch (error) {
    // Forms that are too large and callers who left have error codes; a form that breaks off or is malformed has none.
    if (error instanceof Refusal || (error as { code?: unknown }).code !== undefined) throw error
    throw new Refusal('invalid', 'The upload cannot be read. Send it again.', {
      fields: { file: 'The format is invalid' },
    })
  }
}

async function readFile(request: FastifyRequest): Promise<Upload> {
  const parts = request.parts({ limits: { fileSize: uploadLimitBytes, files: 1, fields: 10, parts: 11 } })
  let file: Upload | undefined
  for await (const part of parts) {
    if (part.type === 'field' || part.fieldname !== 'file') throw unknownField(part.fieldname)
    file = { name: part.filename.slice(0, 255), content: await collect(part.file, request) }
  }
  if (file !== undefined) return file
  throw new Refusal('invalid', 'Choose a file to upload.', { fields: { file: 'There is no file' } })
}

/** Copies each piece as it comes, and lets the messages through between them: all at once is felt by their senders. */
async function collect(pieces: Readable, request: FastifyRequest): Promise<Buffer> {
  const formBytes = Number(request.headers['content-length'])
  const content = Buffer.allocUnsafeSlow(Math.min(formBytes, uploadLimitBytes) || uploadLimitBytes)
  let byteCount = 0
  for await (const piece of pieces as AsyncIterable<Buffer>) {
    byteCount += piece.copy(content, byteCount)
    await setImmediate()
  }
  return content.subarray(0, byteCount)
}

function unknownField(name: string): Refusal {
  const fields = { [name]: 'Not a field of this call' }
  return new Refusal('invalid', 'A form has the field file alone.', { fields })
}
