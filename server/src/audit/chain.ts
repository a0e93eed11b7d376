// The hash chain: each entry's hash covers the one before it, so an altered, inserted or removed entry shows.
import { createHash } from 'node:crypto'
import { canonicalJson } from '../platform/canonical-json.ts'

/** What an entry's hash covers, besides the hash before it. */
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

/** The text of an entry that goes into its hash. Keys are sorted, because jsonb does not keep their order. */
export function chainText(entry: ChainedEntry): string {
  const { at, actorId, actor, ip, action, objectType, objectId, before, after } = entry
  return canonicalJson([at.toISOString(), actorId, actor, ip, action, objectType, objectId, before, after])
}

/** SHA-256 over the previous hash and the entry's text: what PostgreSQL computes when it stores the entry. */
export function chainHash(previous: Buffer, entry: ChainedEntry): Buffer {
  return createHash('sha256').update(previous).update(chainText(entry)).digest()
}

const secretNames = /password|secret|apikey|api_key|token/i

/**
 * An object as the log may keep it: plain JSON, amounts as strings, and nothing that looks like a secret, whatever a
 * caller handed over. Text that PostgreSQL cannot store (NUL, half a surrogate pair) is replaced.
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
