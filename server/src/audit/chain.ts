// The chain: each entry's link covers the one before it, so an altered, inserted or removed entry shows. Links are keyed
// by a secret that the database holds only encrypted, so its owner cannot make new ones.
import { createHmac } from 'node:crypto'
import { canonicalJson } from '../files/formats/canonical-json.ts'

/** What an entry's link covers, besides the link before it. */
export interface ChainedEntry {
  readonly at: Date
  readonly actorId: number | null
  readonly actor: string
  readonly ip: string
  readonly action: string
  readonly objectType: string
  readonly objectId: string
  readonly before: unknown
  readonly after: unknown
}

/** The end of the chain. */
export interface ChainHead {
  /** '0' before the first entry. */
  readonly id: string
  readonly hash: Buffer
  readonly entryCount: string
}

/** The link of an entry, 32 bytes: HMAC-SHA-256 over the link before it, the entry's id and its content. */
export function linkOf(key: Buffer, previous: Buffer, id: string, entry: ChainedEntry): Buffer {
  const { at, actorId, actor, ip, action, objectType, objectId, before, after } = entry
  const values = [id, at.toISOString(), actorId, actor, ip, action, objectType, objectId, before, after]
  // Keys are sorted, because jsonb does not keep their order.
  const text = canonicalJson(values)
  return createHmac('sha256', key).update('link\0').update(previous).update(text).digest()
}

/** Proves that the program wrote the head: HMAC-SHA-256 over all of it. */
export function headHmac(key: Buffer, { id, hash, entryCount }: ChainHead): Buffer {
  const text = JSON.stringify([id, hash.toString('hex'), entryCount])
  return createHmac('sha256', key).update('head\0').update(text).digest()
}

const secretNames = /password|secret|apikey|api_key|token/i

/**
 * An object in the form that the log keeps: plain JSON, amounts as strings, and nothing that looks like a secret,
 * whatever a caller passed. Text that PostgreSQL cannot store (NUL, half a surrogate pair) is replaced.
 */
export function loggable(value: object | null | undefined): Record<string, unknown> | null {
  if (value === null || value === undefined) return null
  return JSON.parse(
    JSON.stringify(value, (key, item: unknown) => {
      if (typeof item === 'bigint') return item.toString()
      if (typeof item !== 'string') return item
      return secretNames.test(key) ? '[hidden]' : storable(item)
    }),
  ) as Record<string, unknown>
}

/** A one-line text for a column of the log: control characters become spaces, so no entry can pretend to be two. */
export function oneLine(text: string): string {
  return storable(text).replace(/\p{Cc}/gu, ' ')
}

function storable(text: string): string {
  return text.replaceAll('\u0000', '\uFFFD').replace(/\p{Surrogate}/gu, '\uFFFD')
}
