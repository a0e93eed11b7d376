// Decides who may make a call, before the body is read, so that a caller without credentials cannot make the server
// work.
import type { FastifyRequest } from 'fastify'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Route } from '@tollgate/contract/route.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import type { Clock } from '../platform/clock.ts'
import type { LoginCookie } from './login-cookie.ts'
import { callerAddress } from './caller-address.ts'
import { refuseUnlessFresh } from './fresh.ts'
import type { Actor } from './handlers.ts'

/** The credentials of a call. */
interface CallCredentials {
  /** The session cookie's value. Never together with `key`: a call with a key is a program's. */
  readonly session?: string
  /** The token after `Authorization: Bearer`. */
  readonly key?: string
  readonly ip: string
  readonly userAgent: string
}

/** Finds the person or program behind a call; undefined when the credentials are not valid. */
export type FindActor = (credentials: CallCredentials) => Promise<Actor | undefined>

/** The session or the key of a call. With an Authorization header the caller is a program, and cookies are ignored. */
export function sessionOrKeyOf(request: FastifyRequest, cookie: LoginCookie): SessionOrKey | undefined {
  const { authorization } = request.headers
  return authorization === undefined ? bySession(request, cookie) : byKey(authorization)
}

/** The actor of a call; undefined without valid credentials. */
export async function findCaller(
  request: FastifyRequest,
  credentials: SessionOrKey | undefined,
  findActor: FindActor,
): Promise<Actor | undefined> {
  if (credentials === undefined) return undefined
  return findActor({ ...credentials, ip: callerAddress(request), userAgent: userAgentOf(request) })
}

export type SessionOrKey = Pick<CallCredentials, 'session' | 'key'>

function bySession(request: FastifyRequest, cookie: LoginCookie): SessionOrKey | undefined {
  const session = cookie.read(request.headers.cookie)
  return session === undefined ? undefined : { session }
}

function byKey(authorization: string): SessionOrKey | undefined {
  const key = /^Bearer ([\x21-\x7e]{1,200})$/i.exec(authorization)?.[1]
  return key === undefined ? undefined : { key }
}

/**
 * Refuses who may not make this call: 401 for nobody, 403 for somebody without the permission or the scope, who is
 * restricted, or whose sign-in is too old for a fresh route.
 */
export function refuseUnlessAllowed(
  route: Route,
  actor: Actor | undefined,
  clock: Clock,
  query: unknown = {},
): void {
  if (route.access === 'public') return
  if (actor === undefined) throw new Refusal('signed_out', 'You are not signed in. Sign in and try again.')
  if (actor.scopes !== undefined && (route.scope === undefined || !actor.scopes.includes(route.scope)))
    throw new Refusal('forbidden', 'This API key may not make this call.')
  if (!isPermitted(actor.role, route.access))
    throw new Refusal('forbidden', "You don't have permission to do this.")
  if (actor.restriction !== undefined && route.isOpenToRestricted !== true)
    throw restricted[actor.restriction]()
  if (route.fresh !== undefined && !isDryRun(route, query)) refuseUnlessFresh(actor, clock, route.fresh)
}

/** Twice in one query is an array, and no dry run. */
const isDryRun = (route: Route, query: unknown): boolean =>
  route.hasDryRun === true && (query as Readonly<Record<string, unknown>>)['dryRun'] === 'true'

const restricted = {
  password_change: () =>
    new Refusal('password_change_required', 'Choose a new password first; then everything else opens.'),
  second_factor: () =>
    new Refusal(
      'second_factor_required',
      'Your role needs a second factor. Set up an authenticator app or a passkey first.',
    ),
} as const

/** Refuses a writing call whose body is not JSON: forms of other sites cannot send JSON. An upload may be multipart. */
export function refuseOtherBodies(request: FastifyRequest, route: Route): void {
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase()
  if (
    type === undefined ||
    type === 'application/json' ||
    (type === 'multipart/form-data' && route.upload === true)
  )
    return
  throw new Refusal('unsupported_body', 'Send the body as application/json.')
}

/** The User-Agent of the caller, cut to what a list of sessions can show. */
export function userAgentOf(request: FastifyRequest): string {
  return request.headers['user-agent']?.slice(0, 300) ?? ''
}
