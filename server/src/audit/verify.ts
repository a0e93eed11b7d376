// Checks the chain in the database.
import type { Db } from '../platform/db.ts'
import { linksAfter, readHead, type StoredHead } from './chain-store.ts'
import { beginning, breakAt, breakAtEnd, positionAfter, type Break, type ChainPosition } from './check.ts'
import { findHeads, headSigner, isSigned } from './head-line.ts'
import { databaseId, headsBetween } from './head-store.ts'
import type { AuditKeys } from './keys.ts'

// Some milliseconds of the event loop for each.
const batchSize = 200

export interface ChainCheck {
  readonly place: ChainPosition
  /** The first breaks, in the order of the entries. */
  readonly breaks: readonly Break[]
}

export interface ChainCheckOptions {
  /** No more than so many entries. */
  readonly limit?: number
  /** Awaited before each portion, so that messages come first. */
  readonly pause?: () => Promise<void>
  readonly signal?: AbortSignal
}

// One break is followed by others; more of them say nothing new.
const breaksMax = 20

/** Checks the links after a place, up to an id. */
export async function follow(
  db: Db,
  keys: AuditKeys,
  from: ChainPosition,
  toId: string,
  { limit = Infinity, pause, signal }: ChainCheckOptions = {},
): Promise<ChainCheck> {
  let place = from
  const breaks: Break[] = []
  for (let left = limit; left > 0 && signal?.aborted !== true;) {
    await pause?.()
    const size = Math.min(batchSize, left)
    const links = await linksAfter(db, place.id, toId, size)
    const ids = new Set(links.flatMap(({ keyId }) => (keyId === null ? [] : [keyId])))
    const byId = new Map(
      await Promise.all([...ids].map(async (id) => [id, await keys.find(db, id)] as const)),
    )
    for (const link of links) {
      const found = breakAt(place, link, byId.get(link.keyId ?? 0))
      if (found !== undefined && breaks.length < breaksMax) breaks.push(found)
      place = positionAfter(place, link)
    }
    left -= links.length
    if (links.length < size) break
  }
  return { place, breaks }
}

/** Checks the head, after all links up to it. */
export async function checkEnd(
  db: Db,
  keys: AuditKeys,
  place: ChainPosition,
  head: StoredHead,
): Promise<Break | undefined> {
  return breakAtEnd(place, head, head.keyId === null ? undefined : await keys.find(db, head.keyId))
}

/** Compares the published heads of these entries with the entries. */
export async function checkPublished(
  db: Db,
  keys: AuditKeys,
  afterId: string,
  lastId: string,
): Promise<Break | undefined> {
  const published = await headsBetween(db, afterId, lastId)
  if (published.length === 0) return undefined
  const own = await databaseId(db)
  const signers = (await keys.all(db)).map((key) => headSigner(key).publicKey)
  for (const { entry_id: id, line, hash } of published) {
    const [head] = findHeads(line)
    const isOurs =
      head !== undefined && isSigned(head) && signers.includes(head.publicKey) && head.databaseId === own
    if (!isOurs || head.entryId !== id || head.hash !== hash?.toString('hex'))
      return { id, kind: 'published' }
  }
  return undefined
}

/** Checks the chain from its first entry to its head. */
export async function checkChain(
  db: Db,
  keys: AuditKeys,
  options: ChainCheckOptions = {},
): Promise<ChainCheck> {
  // Entries that are written meanwhile wait for the next check.
  const head = await readHead(db)
  const { place, breaks } = await follow(db, keys, beginning, head.id, options)
  const others = [await checkEnd(db, keys, place, head), await checkPublished(db, keys, '0', head.id)]
  return { place, breaks: [...breaks, ...others.filter((found) => found !== undefined)] }
}
