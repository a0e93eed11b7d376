// Login sessions: an opaque id in the cookie, its hash in the database.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../http/handlers.ts'
import { deviceLifeDays } from '../../http/login-cookie.ts'
import { forgetDevices, rememberDevice } from './device-store.ts'
import { deleteEndedLogins, findLogin, insertLogin, renewLogin, touchLogin, type LoginRow } from './store.ts'

const minuteMs = 60_000
// OWASP ASVS 5.0, 7.3.1 and 7.3.2.
const idleMs = 30 * minuteMs
const lifeMs = 12 * 60 * minuteMs
// `last_seen_at` is written at most this often: consoles poll every few seconds, and a write costs more than the read.
const touchEveryMs = minuteMs
// Calls in flight while the new id is sent still carry the old one.
const handoverMs = 5_000

/** The origin of a call. */
export interface SignInOrigin {
  readonly ip: string
  readonly userAgent: string
  /** The browser's device cookie; undefined without one. */
  readonly device?: string | undefined
}

/** The origin of a call, picked from its context. */
export function originOf({ ip, userAgent, device }: SignInOrigin): SignInOrigin {
  return { ip, userAgent, device }
}

/** The stored hash of a cookie: who can read the table cannot sign in. */
export function hashOf(cookie: string): Buffer {
  return createHash('sha256').update(cookie).digest()
}

/** The hash in an actor's sessionId. */
export function idHashOf(sessionId: string): Buffer {
  return Buffer.from(sessionId, 'hex')
}

/** Sessions that were created or last seen before these times have ended. */
export function sessionLimits(clock: Clock): { readonly createdAfter: Date; readonly seenAfter: Date } {
  const now = clock.now().getTime()
  return { createdAfter: new Date(now - lifeMs), seenAfter: new Date(now - idleMs) }
}

/** Starts a session and remembers its device; returns the cookie's value: 256 random bits. */
export async function startLogin(
  tx: Db,
  clock: Clock,
  userId: number,
  origin: SignInOrigin,
): Promise<string> {
  const cookie = randomBytes(32).toString('base64url')
  const { ip, userAgent, device } = origin
  await insertLogin(tx, { idHash: hashOf(cookie), userId, at: clock.now(), ip, userAgent })
  if (device !== undefined) await rememberDevice(tx, userId, hashOf(device), clock.now())
  return cookie
}

/** The person behind a cookie, with their current role; undefined for an invalid cookie. */
export async function findPerson(
  db: Db,
  clock: Clock,
  cookie: string,
  ip?: string,
): Promise<Actor | undefined> {
  return findPersonByHash(db, clock, hashOf(cookie), ip)
}

/** {@link findPerson} by the session's hash, for a call that sent the cookie earlier, such as an open stream. */
export async function findPersonByHash(
  db: Db,
  clock: Clock,
  idHash: Buffer,
  ip?: string,
): Promise<Actor | undefined> {
  const login = await findLogin(db, idHash)
  if (login === undefined) return undefined
  const now = clock.now()
  const isOver =
    now.getTime() - login.created_at.getTime() >= lifeMs ||
    now.getTime() - login.last_seen_at.getTime() >= idleMs ||
    (login.ends_at !== null && login.ends_at <= now)
  if (isOver) return undefined
  if (now.getTime() - login.last_seen_at.getTime() >= touchEveryMs) await touchLogin(db, idHash, now, ip)
  return {
    userId: login.user_id,
    username: login.username,
    role: login.role,
    authenticatedAt: login.authenticated_at,
    sessionId: idHash.toString('hex'),
    ...restrictionOf(login),
  }
}

/** Changing the password comes before the second factor: until then somebody else may know it. */
function restrictionOf(login: LoginRow): Pick<Actor, 'restriction'> {
  if (login.must_change_password) return { restriction: 'password_change' }
  return login.factor_rule === 'staff' ? { restriction: 'second_factor' } : {}
}

/** A new cookie for a session that must get a new id; undefined when it keeps its own. */
async function renewWhenDue(db: Db, clock: Clock, sessionId: string): Promise<string | undefined> {
  const cookie = randomBytes(32).toString('base64url')
  const endsAt = new Date(clock.now().getTime() + handoverMs)
  return (await renewLogin(db, idHashOf(sessionId), hashOf(cookie), endsAt)) ? cookie : undefined
}

/** Sets the new cookie of a session that must get a new id. */
export async function sendNewId(
  db: Db,
  clock: Clock,
  call: { readonly actor: Actor; setSessionCookie(value: string): void },
): Promise<void> {
  const { sessionId } = call.actor
  const cookie = sessionId === undefined ? undefined : await renewWhenDue(db, clock, sessionId)
  if (cookie !== undefined) call.setSessionCookie(cookie)
}

/** Deletes expired sessions and devices. Safe to repeat. */
export async function sweepLogins(db: Db, clock: Clock): Promise<void> {
  const now = clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  await deleteEndedLogins(db, before(lifeMs), before(idleMs), now)
  await forgetDevices(db, before(deviceLifeDays * 24 * 60 * minuteMs))
}
