// API keys for programs: 256 random bits, shown once, stored as a hash.
import { createHash, randomBytes } from 'node:crypto'
import type { z } from 'zod'
import { Refusal } from '@tollgate/contract/errors.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import type { apiKeySchema } from '@tollgate/contract/users/users.ts'
import { isPermitted, type KeyScope } from '@tollgate/contract/vocabulary.ts'
import type { Audit, AuditActor } from '../../audit/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db.ts'
import type { Actor, Caller } from '../../http/handlers.ts'
import { toReply } from '../../http/reply.ts'
import { transaction } from '../../platform/transaction.ts'
import { aboutUser } from '../about-user.ts'
import { refuseAdminTarget } from '../accounts/rules.ts'
import { findById, lockById } from '../accounts/store.ts'
import { deviceName } from '../login/device-name.ts'
import {
  deleteKey,
  deleteKeys,
  findKeyOwner,
  findKeyOwnerById,
  findKeys,
  insertKey,
  touchKey,
  type KeyOwnerRow,
  type ApiKeyRow,
} from './store.ts'

export type ApiKey = z.infer<typeof apiKeySchema>

export interface KeyParts {
  readonly db: Db
  readonly clock: Clock
  readonly audit: Pick<Audit, 'record'>
}

// Without a limit one account could fill the table.
const keysMax = 50
// Enough to tell keys apart in the list; the rest cannot be guessed from it.
const prefixLength = 10
const touchEveryMs = 60_000

export async function listKeys(db: Db, userId: number): Promise<ApiKey[]> {
  return (await findKeys(db, userId)).map(toKey)
}

/** Makes a key; `key` is shown only in this reply. Throws Refusal wrong_state beyond 50 keys. */
export async function createKey(
  { db, clock, audit }: KeyParts,
  input: { name: string; scopes: readonly KeyScope[] },
  actor: Actor,
  ip: string,
): Promise<ApiKey & { key: string }> {
  const key = `tgk_${randomBytes(32).toString('base64url')}`
  return transaction(db, async (tx) => {
    // The lock serialises calls of one account, so that the limit holds.
    await lockById(tx, actor.userId)
    if ((await findKeys(tx, actor.userId)).length >= keysMax)
      throw new Refusal(
        'wrong_state',
        sentence('You have {count} keys. Delete one you no longer need first.', { count: keysMax }),
      )
    const made = await insertKey(tx, {
      id: randomBytes(9).toString('hex'),
      userId: actor.userId,
      name: input.name,
      prefix: key.slice(0, prefixLength),
      keyHash: hashOf(key),
      scopes: [...new Set(input.scopes)],
      at: clock.now(),
    })
    await audit.record(tx, { actor, ip, action: 'key.create', ...subjectOf(made), after: summaryOf(made) })
    return { ...toKey(made), key }
  })
}

/** Withdraws one of the actor's own keys at once. Throws Refusal not_found. */
export async function withdrawKey(
  { db, audit }: KeyParts,
  id: string,
  actor: Actor,
  ip: string,
): Promise<void> {
  await transaction(db, async (tx) => {
    const gone = await deleteKey(tx, actor.userId, id)
    if (gone === undefined) throw new Refusal('not_found', 'There is no such key.')
    await audit.record(tx, { actor, ip, action: 'key.delete', ...subjectOf(gone), before: summaryOf(gone) })
  })
}

/** The keys of another account. Throws Refusal not_found, or forbidden for support and an admin's. */
export async function listKeysOf(
  { db }: Pick<KeyParts, 'db'>,
  userId: number,
  actor: Actor,
): Promise<ApiKey[]> {
  await refuseUnlessBelow(db, userId, actor)
  return listKeys(db, userId)
}

/** Withdraws a key of another account, which the account's history tells. Throws what {@link listKeysOf} throws. */
export async function withdrawKeyOf(
  { db, audit }: KeyParts,
  { id: userId, keyId }: { readonly id: number; readonly keyId: string },
  by: Caller,
): Promise<void> {
  await transaction(db, async (tx) => {
    await refuseUnlessBelow(tx, userId, by.actor)
    const gone = await deleteKey(tx, userId, keyId)
    if (gone === undefined)
      throw new Refusal('not_found', 'There is no such key. It may have been withdrawn.')
    await audit.record(tx, {
      ...by,
      action: 'key.delete',
      ...aboutUser(userId),
      before: { id: gone.id, ...summaryOf(gone) },
    })
  })
}

async function refuseUnlessBelow(db: Db, userId: number, { role }: Actor): Promise<void> {
  const owner = await findById(db, userId)
  if (owner === undefined) throw new Refusal('not_found', 'There is no such account.')
  refuseAdminTarget({ role }, owner)
}

/** Withdraws the named keys of an account, or all of them, each with an audit entry. Returns how many. */
export async function withdrawKeys(
  { audit }: Pick<KeyParts, 'audit'>,
  tx: Db,
  userId: number,
  ids: readonly string[] | 'all',
  by: { readonly actor: AuditActor; readonly ip: string },
): Promise<number> {
  const gone = await deleteKeys(tx, userId, ids)
  for (const key of gone)
    await audit.record(tx, { ...by, action: 'key.delete', ...subjectOf(key), before: summaryOf(key) })
  return gone.length
}

/** The owner of a key, with the key's scopes; undefined for an invalid key. */
export async function findProgram(
  db: Db,
  clock: Clock,
  key: string,
  from: { readonly ip: string; readonly userAgent: string },
): Promise<Actor | undefined> {
  const found = await findKeyOwner(db, hashOf(key))
  // A key is valid only while its owner's role may have keys.
  if (found === undefined || !isPermitted(found.role, 'apiKeys')) return undefined
  const now = clock.now()
  if (found.last_used_at === null || now.getTime() - found.last_used_at.getTime() >= touchEveryMs)
    await touchKey(db, found.id, { at: now, ...from })
  return actorOf(found)
}

/** The owner of a key by its id, for a call that sent the key earlier; undefined once it is withdrawn. */
export async function findProgramById(db: Db, keyId: string): Promise<Actor | undefined> {
  const found = await findKeyOwnerById(db, keyId)
  return found !== undefined && isPermitted(found.role, 'apiKeys') ? actorOf(found) : undefined
}

function actorOf({ id, user_id: userId, username, role, scopes }: KeyOwnerRow): Actor {
  return { userId, username, role, scopes, keyId: id }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

function toKey({ last_used_ip, last_used_agent, ...key }: ApiKeyRow): ApiKey {
  const lastUsedBy = last_used_agent === null ? null : deviceName(last_used_agent)
  return { ...toReply(key), lastUsedAddress: last_used_ip, lastUsedBy }
}

function subjectOf(key: ApiKeyRow) {
  return { objectType: 'key', objectId: key.id }
}

function summaryOf(key: ApiKeyRow) {
  return { name: key.name, scopes: key.scopes, prefix: key.prefix }
}
