// The root key: what secrets, texts and signatures are derived from. It is random and never changes; the database holds
// it sealed by SECRET_KEY, so that one can be rotated by sealing a few bytes anew, while every node goes on (decision 74).
import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import type { Config } from '../process/config.ts'
import { changed, row, rows, type Db } from '../db.ts'
import { createSecrets } from './secrets.ts'
import { StartFailure } from '../process/start-failure.ts'
import { transaction } from '../transaction.ts'

/** What a sealed root key belongs to, see {@link Secrets}. */
const sealedPlace = 'root_keys.sealed'
const keyIdBytes = 4

/**
 * How a node's SECRET_KEY stands to the database: it opens the root key (`same`), it was allowed to take a lost one's
 * place (`accepted`), or it opens nothing and the node was given none (`foreign`).
 */
export type KeyStanding = 'same' | 'accepted' | 'foreign'

export interface RootKey {
  readonly material: string
  readonly standing: KeyStanding
}

/**
 * Opens the root key with SECRET_KEY, and makes one at the first start. Nodes with different keys would seal what the
 * others cannot open, so a SECRET_KEY that opens nothing throws StartFailure, unless `acceptsNewSecretKey` lets it take
 * the lost one's place. A node that was given none has only a file of its own; it may take traffic, so it starts as
 * `foreign`, with a root key of its own.
 */
export function openRootKey(
  db: Db,
  secretKey: string,
  config: Pick<Config, 'secretKey' | 'acceptsNewSecretKey'>,
): Promise<RootKey> {
  return transaction(db, async (tx) => {
    // Nodes that start together for the first time make one root key.
    await sql`lock table root_keys in exclusive mode`.execute(tx)
    const stored = await rows<{ sealed: Buffer }>(tx, sql`select sealed from root_keys`)
    const material = openFirst(stored, secretKey)
    if (material !== undefined) return { material, standing: 'same' }
    if (stored.length === 0 && (await isFirstKey(tx, secretKey))) return makeRootKey(tx, secretKey, 'same')
    if (config.acceptsNewSecretKey) {
      await changed(tx, sql`delete from root_keys`)
      await changed(tx, sql`delete from secret_key_proofs`)
      return makeRootKey(tx, secretKey, 'accepted')
    }
    if (config.secretKey === undefined) return { material: secretKey, standing: 'foreign' }
    throw new StartFailure(
      'SECRET_KEY is not the key that this database was sealed with. Give every node the same SECRET_KEY; if that key is lost, ACCEPT_NEW_SECRET_KEY=yes starts without what it sealed.',
    )
  })
}

/** The root key that one of the sealed ones holds for this SECRET_KEY; undefined when it opens none. */
export function openFirst(
  stored: readonly { readonly sealed: Buffer }[],
  secretKey: string,
): string | undefined {
  const secrets = createSecrets(secretKey)
  for (const { sealed } of stored) {
    try {
      return secrets.open(sealed, sealedPlace).toString('utf8')
    } catch {
      // Another SECRET_KEY sealed this one.
    }
  }
  return undefined
}

/** Before there were root keys SECRET_KEY sealed everything itself, and the database holds a proof of it. */
async function isFirstKey(tx: Db, secretKey: string): Promise<boolean> {
  const known = await row<{ proof: Buffer }>(tx, sql`select proof from secret_key_proofs`)
  return known === undefined || known.proof.equals(proofOf(secretKey))
}

function proofOf(secretKey: string): Buffer {
  return createSecrets(secretKey).hmac('secret key', 'proof')
}

async function makeRootKey(tx: Db, secretKey: string, standing: KeyStanding): Promise<RootKey> {
  const isUpgrade = (await row(tx, sql`select from secret_key_proofs`)) !== undefined
  // What SECRET_KEY has sealed itself must go on opening, so there it becomes the root key.
  const material = isUpgrade ? secretKey : randomBytes(32).toString('hex')
  await addRow(tx, material, secretKey)
  return { material, standing }
}

async function addRow(tx: Db, material: string, secretKey: string): Promise<void> {
  const sealed = createSecrets(secretKey).seal(material, sealedPlace)
  await changed(
    tx,
    sql`insert into root_keys (key_id, sealed) values (${sealed.subarray(0, keyIdBytes)}, ${sealed})
      on conflict (key_id) do update set sealed = excluded.sealed`,
  )
}

/** Lets a new SECRET_KEY open the root key beside the present one. Throws StartFailure when the present one opens nothing. */
export async function addSecretKey(tx: Db, presentKey: string, newKey: string): Promise<void> {
  const material = openFirst(await listRootKeys(tx), presentKey)
  if (material === undefined)
    throw new StartFailure(
      'SECRET_KEY does not open what this database was sealed with. Nothing was changed.',
    )
  await addRow(tx, material, newKey)
}

/**
 * Makes this SECRET_KEY the only one that opens the root key; gives how many others it took away. Throws StartFailure when
 * it opens nothing itself.
 */
export async function keepOnlySecretKey(tx: Db, secretKey: string): Promise<number> {
  const stored = await listRootKeys(tx)
  const kept = stored.find((each) => openFirst([each], secretKey) !== undefined)
  if (kept === undefined)
    throw new StartFailure(
      'SECRET_KEY does not open what this database was sealed with. Nothing was changed.',
    )
  return changed(tx, sql`delete from root_keys where key_id <> ${kept.key_id}`)
}

/** The sealed root keys: one, or two while SECRET_KEY is being rotated. */
export function listRootKeys(db: Db): Promise<{ key_id: Buffer; sealed: Buffer }[]> {
  return rows(db, sql`select key_id, sealed from root_keys order by created_at`)
}
