// Checks the chain: one link after the other, up to the head.
import { timingSafeEqual } from 'node:crypto'
import type { AuditBreakKind } from '@tollgate/contract/audit/audit.ts'
import { headHmac, linkOf } from './chain.ts'
import type { ChainLinkRow, StoredHead } from './chain-store.ts'

/**
 * How a chain is broken at an entry: `altered`: its link does not cover its content, or does not follow; `missing`:
 * entries before it were removed; `unkeyed`: its link names no key; `unknown_key`: its key cannot be decrypted; `cut`:
 * it was the last one and is gone; `added`: it comes after the head; `head`: the head itself was changed; `published`:
 * it differs from the published head. The names are those of the contract.
 */
type BreakKind = AuditBreakKind

export interface Break {
  readonly id: string
  readonly kind: BreakKind
}

/** How far a chain was checked. */
export interface ChainPosition {
  /** The last entry that was checked; '0' before the first. */
  readonly id: string
  readonly hash: Buffer
  readonly entryCount: number
}

export const beginning: ChainPosition = { id: '0', hash: Buffer.alloc(0), entryCount: 0 }

/** The place after a link, whether it is right or not: the links after a break are still checked. */
export function positionAfter(place: ChainPosition, { id, hash }: ChainLinkRow): ChainPosition {
  return { id, hash, entryCount: place.entryCount + 1 }
}

/** Checks the next link. `key` is the one that the link names; undefined when it is missing or cannot be decrypted. */
export function breakAt(
  place: ChainPosition,
  link: ChainLinkRow,
  key: Buffer | undefined,
): Break | undefined {
  const { id } = link
  if (link.keyId === null) return { id, kind: 'unkeyed' }
  if (BigInt(id) !== BigInt(place.id) + 1n) return { id, kind: 'missing' }
  if (key === undefined) return { id, kind: 'unknown_key' }
  return isSame(linkOf(key, place.hash, id, link), link.hash) ? undefined : { id, kind: 'altered' }
}

/** Checks the head after all links up to it. `key` is that of the head. */
export function breakAtEnd(
  place: ChainPosition,
  head: StoredHead,
  key: Buffer | undefined,
): Break | undefined {
  if (BigInt(place.id) < BigInt(head.id)) return { id: head.id, kind: 'cut' }
  if (BigInt(head.lastId) > BigInt(head.id)) return { id: head.lastId, kind: 'added' }
  const isTheEnd = isSame(place.hash, head.hash) && place.entryCount === Number(head.entryCount)
  if (!isTheEnd || place.entryCount > 0 !== (head.keyId !== null)) return { id: head.id, kind: 'head' }
  // A link without a usable key was reported already.
  if (key === undefined) return undefined
  return isSame(headHmac(key, head), head.hmac) ? undefined : { id: head.id, kind: 'head' }
}

function isSame(one: Buffer, other: Buffer | null): boolean {
  return other?.length === one.length && timingSafeEqual(one, other)
}
