// Adds entries to the chain. Nobody can make a link without the key, which the database holds only encrypted.
import { timingSafeEqual } from 'node:crypto'
import type { Db } from '../platform/db.ts'
import type { Logger } from '../platform/log.ts'
import { headHmac, linkOf, type ChainedEntry } from './chain.ts'
import { findLink, insertLink, lockHead, type StoredHead } from './chain-store.ts'
import type { AuditKeys } from './keys.ts'

export interface AppendDeps {
  readonly keys: AuditKeys
  readonly log: Pick<Logger, 'error'>
}

const noHash = Buffer.alloc(0)

/**
 * Appends an entry in the caller's transaction. A head that the program did not write does not stop the business, but
 * the new entry is then linked to nothing: the chain shows a break there for good, and does not join what was forged.
 */
export async function append(tx: Db, { keys, log }: AppendDeps, entry: ChainedEntry): Promise<void> {
  const { id: keyId, key } = await keys.current(tx)
  const last = await lockHead(tx)
  const isOurs = await isWrittenByUs(tx, keys, last)
  if (!isOurs)
    log.error({ entryId: last.id }, 'the end of the audit log was changed by somebody else: check the log')
  const id = String(BigInt(last.id) > BigInt(last.lastId) ? BigInt(last.id) + 1n : BigInt(last.lastId) + 1n)
  const hash = linkOf(key, isOurs ? last.hash : noHash, id, entry)
  const head = { id, hash, entryCount: String(BigInt(last.entryCount) + 1n) }
  await insertLink(tx, { entry, keyId, head, hmac: headHmac(key, head) })
}

/** Whether the HMAC of the head is right. */
export async function isWrittenByUs(db: Db, keys: AuditKeys, head: StoredHead): Promise<boolean> {
  // Before the first entry there is no HMAC.
  if (head.keyId === null) return head.lastId === '0'
  const key = await keys.find(db, head.keyId)
  // A node with another SECRET_KEY wrote it, and then it wrote the entry, too; the check of the chain names that entry.
  if (key === undefined) return (await findLink(db, head.id))?.keyId === head.keyId
  const hmac = headHmac(key, head)
  return head.hmac?.length === hmac.length && timingSafeEqual(head.hmac, hmac)
}
