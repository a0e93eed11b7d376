// Calls with an Idempotency-Key: the same key again gets the same response and does nothing.
import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { changed, row, type Db } from '../platform/db.ts'
import type { Secrets } from '../platform/security/secrets.ts'
import { transaction } from '../platform/transaction.ts'

/** One call with its idempotency key. */
export interface KeyedCall {
  readonly userId: number
  /** The header; without it each call runs. */
  readonly key: string | undefined
  /** Everything that decides what the call does: its name, parameters and body. */
  readonly request: unknown
}

/**
 * Answers are kept encrypted: some contain a secret that is shown once. So is the hash of a call: a call may contain a
 * password, and whoever reads the table could try passwords on a bare hash of it.
 */
export type AnswerSecrets = Pick<Secrets, 'encrypt' | 'decrypt'>

interface KeptAnswer {
  /** Base64 SHA-256 of the call. */
  readonly callHash: string
  readonly answer: unknown
}

interface OnceOptions {
  readonly secrets: AnswerSecrets
  /** Done in the transaction before anything is written. */
  readonly first?: ((tx: Db) => Promise<void>) | undefined
}

const contextOf = ({ userId, key }: Pick<KeyedCall, 'userId' | 'key'>) =>
  `idempotency_keys.encrypted_answer ${userId} ${key ?? ''}`

const keyPattern = /^[\x21-\x7e]{1,255}$/
const keptFor = sql`interval '1 day'`

/**
 * Runs `work` in a transaction, once for each key of a user. The key and the answer are kept in that transaction, so a
 * call that failed may be sent again, and one that comes while the first is under way waits for it. Throws Refusal
 * invalid for a malformed key and unprocessable for one that was used for something else.
 */
export async function onceForKey<T>(
  db: Db,
  call: KeyedCall,
  work: (tx: Db) => Promise<T>,
  { secrets, first }: OnceOptions,
): Promise<T> {
  const { key, userId } = call
  if (key === undefined)
    return transaction(db, async (tx) => {
      await first?.(tx)
      return work(tx)
    })
  if (!keyPattern.test(key))
    throw new Refusal('invalid', 'The Idempotency-Key may have up to 255 visible characters.', {
      fields: { 'idempotency-key': 'Up to 255 visible ASCII characters' },
    })
  const callHash = createHash('sha256').update(JSON.stringify(call.request)).digest('base64')
  return transaction(db, async (tx) => {
    await first?.(tx)
    const isFirst =
      (await changed(
        tx,
        sql`insert into idempotency_keys (user_id, key) values (${userId}, ${key}) on conflict do nothing`,
      )) === 1
    if (!isFirst) return (await earlierAnswer(tx, { userId, key }, callHash, secrets)) as T
    const answer = await work(tx)
    const kept: KeptAnswer = { callHash, answer }
    const encrypted = secrets.encrypt(JSON.stringify(kept), contextOf(call))
    await sql`update idempotency_keys set encrypted_answer = ${encrypted}
      where user_id = ${userId} and key = ${key}`.execute(tx)
    return answer
  })
}

async function earlierAnswer(
  tx: Db,
  { userId, key }: { readonly userId: number; readonly key: string },
  callHash: string,
  secrets: AnswerSecrets,
): Promise<unknown> {
  const earlier = await row<{ encrypted_answer: Buffer }>(
    tx,
    sql`select encrypted_answer from idempotency_keys where user_id = ${userId} and key = ${key}`,
  )
  const kept =
    earlier &&
    (JSON.parse(
      secrets.decrypt(earlier.encrypted_answer, contextOf({ userId, key })).toString(),
    ) as KeptAnswer)
  if (kept?.callHash !== callHash)
    throw new Refusal('unprocessable', 'This Idempotency-Key was used for another call. Take a new one.', {
      fields: { 'idempotency-key': 'Used for another call' },
    })
  return kept.answer
}

/** Deletes keys that are older than a day. */
export async function forgetOldKeys(db: Db): Promise<void> {
  await sql`delete from idempotency_keys where created_at < now() - ${keptFor}`.execute(db)
}
