// Follows the chain through the database.
import type { Db } from '../platform/db.ts'
import { linksAfter, readHead } from './chain-store.ts'
import { beginning, breakAt, breakAtEnd, placeAfter, type Break, type Place } from './check.ts'
import type { AuditKeys } from './keys.ts'

const batchSize = 500

export interface Followed {
  readonly place: Place
  /** The first break on the way. */
  readonly broken: Break | undefined
}

export async function follow(db: Db, keys: AuditKeys, from: Place, toId: string): Promise<Followed> {
  let place = from
  let broken: Break | undefined
  for (;;) {
    const links = await linksAfter(db, place.id, toId, batchSize)
    const ids = new Set(links.map(({ keyId }) => keyId).filter((keyId) => keyId !== null))
    const byId = new Map(
      await Promise.all([...ids].map(async (id) => [id, await keys.find(db, id)] as const)),
    )
    for (const link of links) {
      broken ??= breakAt(place, link, byId.get(link.keyId ?? 0))
      place = placeAfter(place, link)
    }
    if (links.length < batchSize) return { place, broken }
  }
}

/** Follows the chain from its first entry to its head. */
export async function checkChain(db: Db, keys: AuditKeys): Promise<Followed> {
  // Entries written meanwhile come after this end and wait for the next check.
  const head = await readHead(db)
  const { place, broken } = await follow(db, keys, beginning, head.id)
  const key = head.keyId === null ? undefined : await keys.find(db, head.keyId)
  return { place, broken: broken ?? breakAtEnd(place, head, key) }
}

/**
 * Whether the chain is whole. `brokenId` is the first entry that does not follow from the one before it; when entries
 * are missing at the end it is the last one that was written.
 */
export async function verifyChain(
  db: Db,
  keys: AuditKeys,
): Promise<{ isIntact: boolean; count: number; brokenId: string | null }> {
  const { place, broken } = await checkChain(db, keys)
  return { isIntact: broken === undefined, count: place.entryCount, brokenId: broken?.id ?? null }
}
