// Login sessions: an opaque id in the cookie, its hash in the database.
import { createHash, randomBytes } from 'node:crypto'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor } from '../../platform/http/handlers.ts'
import { deviceLifeDays } from '../../platform/http/login-cookie.ts'
import { forgetDevices, rememberDevice } from './device-store.ts'
import {
  deleteEndedLogins,
  deleteOldFailures,
  findLogin,
  insertLogin,
  renewLogin,
  touchLogin,
  type LoginRow,
} from './store.ts'

const minuteMs = 60_000
// OWASP ASVS 5.0, 7.3.1 and 7.3.2.
const idleMs = 30 * minuteMs
const lifeMs = 12 * 60 * minuteMs
// Seen is written at most this often: a console polls every few seconds, and the write would cost more than the read.
const touchEveryMs = minuteMs
// Calls that were under way when the new id was sent still carry the old one.
const handoverMs = 5_000
const failuresKeptMs = 24 * 60 * minuteMs

/** Where a call comes from. */
export interface Origin {
  readonly ip: string
  readonly userAgent: string
  /** Names the browser; undefined for what has none. */
  readonly device?: string | undefined
}

/** Where a call comes from, and the browser's name. */
export function originOf({ ip, userAgent, device }: Origin): Origin {
  return { ip, userAgent, device }
}

/** The hash by which a cookie is kept: a read of the table is no use to anybody. */
export function hashOf(cookie: string): Buffer {
  return createHash('sha256').update(cookie).digest()
}

/** The hash that an actor's sessionId stands for. */
export function idHashOf(sessionId: string): Buffer {
  return Buffer.from(sessionId, 'hex')
}

/** Sessions that began or were seen before these have ended. */
export function sessionLimits(clock: Clock): { readonly createdAfter: Date; readonly seenAfter: Date } {
  const now = clock.now().getTime()
  return { createdAfter: new Date(now - lifeMs), seenAfter: new Date(now - idleMs) }
}

/** Starts a session on a device that is known from then on; gives the cookie's value: 256 random bits. */
export async function startLogin(tx: Db, clock: Clock, userId: number, origin: Origin): Promise<string> {
  const cookie = randomBytes(32).toString('base64url')
  const { ip, userAgent, device } = origin
  await insertLogin(tx, { idHash: hashOf(cookie), userId, at: clock.now(), ip, userAgent })
  if (device !== undefined) await rememberDevice(tx, userId, hashOf(device), clock.now())
  return cookie
}

/** The person behind a cookie, with the role that is theirs now; undefined when it signs nobody in. */
export async function findPerson(
  db: Db,
  clock: Clock,
  cookie: string,
  ip?: string,
): Promise<Actor | undefined> {
  return findPersonByHash(db, clock, hashOf(cookie), ip)
}

/** {@link findPerson} for a session that showed its cookie earlier, such as one with an open stream. */
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

/** The password comes first: until it is changed, somebody else may know it. */
function restrictionOf(login: LoginRow): Pick<Actor, 'restriction'> {
  if (login.must_change_password) return { restriction: 'password_change' }
  return login.factor_rule === 'staff' ? { restriction: 'second_factor' } : {}
}

/** A new cookie for a session whose person's role or proof has changed; undefined when it may keep its own. */
async function renewWhenDue(db: Db, clock: Clock, sessionId: string): Promise<string | undefined> {
  const cookie = randomBytes(32).toString('base64url')
  const endsAt = new Date(clock.now().getTime() + handoverMs)
  return (await renewLogin(db, idHashOf(sessionId), hashOf(cookie), endsAt)) ? cookie : undefined
}

/** Sends the new cookie of a session that is to have another id, in the answer of whatever call comes first. */
export async function sendNewId(
  db: Db,
  clock: Clock,
  call: { readonly actor: Actor; setSessionCookie(value: string): void },
): Promise<void> {
  const { sessionId } = call.actor
  const cookie = sessionId === undefined ? undefined : await renewWhenDue(db, clock, sessionId)
  if (cookie !== undefined) call.setSessionCookie(cookie)
}

/** Deletes sessions and failures that no longer count. Harmless to repeat. */
export async function sweepLogins(db: Db, clock: Clock): Promise<void> {
  const now = clock.now()
  const before = (ms: number) => new Date(now.getTime() - ms)
  await deleteEndedLogins(db, before(lifeMs), before(idleMs), now)
  await deleteOldFailures(db, before(failuresKeptMs))
  await forgetDevices(db, before(deviceLifeDays * 24 * 60 * minuteMs))
}
