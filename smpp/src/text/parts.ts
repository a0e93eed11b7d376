// Keeps the parts of long messages until the last one comes, for viewing only: billing counts each part.
// Bounded in octets and in age, so peers that never finish a message cannot fill the memory.

import type { Alphabet } from './alphabet.ts'
import { mergeFlags, type TextFlag } from './flags.ts'
import { joinParts, type JoinedText } from './join.ts'
import type { PartPosition } from './position.ts'

export interface PartStoreOptions {
  /** Milliseconds on any clock that never runs backwards. */
  readonly now: () => number
  /** Default 50,000,000, counting what the store's own bookkeeping takes too. */
  readonly bytesMax?: number | undefined
  /** Age, from its first part, at which a message is forgotten. Default 24 hours. */
  readonly expiryMs?: number | undefined
}

export interface ArrivedPart {
  /** The account or connection, not the session: peers spread the parts of a message over their sessions. */
  readonly peer: string
  readonly source: string
  readonly destination: string
  readonly position: PartPosition
  readonly alphabet: Alphabet
  /** Copied; the caller's buffer is not held. */
  readonly content: Uint8Array
}

export interface PartArrival {
  /** All parts are there. */
  readonly isComplete: boolean
  /** Different parts there by now. */
  readonly receivedCount: number
  /** repeated_part, reference_reused, part_out_of_range, and when complete those of the joined text. */
  readonly flags: readonly TextFlag[]
  /** The whole text, when this part completed it. */
  readonly text: string | undefined
}

interface StoredPart {
  readonly alphabet: Alphabet
  // Latin-1 strings take one octet per octet plus a small header; small buffers take over 200 octets more each.
  readonly content: string
}

interface StoredMessage {
  readonly total: number
  readonly firstAt: number
  readonly parts: Map<number, StoredPart>
  bytes: number
}

const defaultBytesMax = 50_000_000
const defaultExpiryMs = 24 * 60 * 60 * 1000
// What V8 takes besides the content, rounded up from measurement: message = two maps' tables, key and object;
// part = string header, object and its place in the table.
const messageOverheadBytes = 512
const partOverheadBytes = 160

/** Keeps parts until their message is whole. `add` and `peek` take any position and never throw. */
export class PartStore {
  // In order of first arrival, so both the expired and the first to give way stand at the front.
  readonly #messages = new Map<string, StoredMessage>()
  readonly #now: () => number
  readonly #bytesMax: number
  readonly #expiryMs: number
  #bytes = 0
  // No message is older. Saves `expire` a walk: the front of a Map is slow to reach after many removals.
  #oldestAt = Infinity
  #evictedCount = 0

  constructor(options: PartStoreOptions) {
    this.#now = options.now
    this.#bytesMax = options.bytesMax ?? defaultBytesMax
    this.#expiryMs = options.expiryMs ?? defaultExpiryMs
  }

  /** Octets in use by the store's own count; never above `bytesMax`. */
  get bytes(): number {
    return this.#bytes
  }

  /** Messages in the store, complete ones included: they stay until expiry to tell a repeated part. */
  get messageCount(): number {
    return this.#messages.size
  }

  /** Messages that gave way to newer ones since the start, for a counter. */
  get evictedCount(): number {
    return this.#evictedCount
  }

  /**
   * Takes a part in and gives the whole text when it was the last one missing. Never throws.
   * The same part again changes nothing and is flagged; a different part under a sequence already there, or
   * another total, is a new message that took up the reference (8-bit ones come round soon).
   */
  add(part: ArrivedPart): PartArrival {
    this.expire()
    const { sequence, total } = part.position
    if (!(total >= 1 && total <= 255 && sequence >= 1 && sequence <= total)) {
      return { isComplete: false, receivedCount: 0, flags: ['part_out_of_range'], text: undefined }
    }
    const key = keyOf(part)
    const content = latin1(part.content)
    const known = this.#messages.get(key)
    const relation = known === undefined ? 'fresh' : relate(known, part, content)
    if (known !== undefined && relation === 'repeated') return arrival(known, ['repeated_part'])
    const isReused = known !== undefined && relation === 'reused'
    if (isReused) this.#drop(key, known)
    const message = known !== undefined && !isReused ? known : this.#open(key, total)
    message.parts.set(sequence, { alphabet: part.alphabet, content })
    this.#count(message, content.length + partOverheadBytes)
    const flags: TextFlag[] = isReused && known.parts.size < known.total ? ['reference_reused'] : []
    const result = message.parts.size === total ? completed(message, flags) : arrival(message, flags)
    this.#makeRoom()
    return result
  }

  /** What is there of a message, gaps marked, or undefined when nothing is. */
  peek(part: Pick<ArrivedPart, 'peer' | 'source' | 'destination' | 'position'>): JoinedText | undefined {
    this.expire()
    const message = this.#messages.get(keyOf(part))
    return message === undefined ? undefined : join(message)
  }

  /** Forgets what is too old. Called by `add` and `peek`; call it also now and then when traffic may stop. */
  expire(): void {
    const expiredAt = this.#now() - this.#expiryMs
    if (expiredAt < this.#oldestAt) return
    for (const [key, message] of this.#messages) {
      this.#oldestAt = message.firstAt
      if (message.firstAt > expiredAt) return
      this.#drop(key, message)
    }
    this.#oldestAt = Infinity
  }

  #open(key: string, total: number): StoredMessage {
    const message: StoredMessage = { total, firstAt: this.#now(), parts: new Map(), bytes: 0 }
    this.#messages.set(key, message)
    this.#oldestAt = Math.min(this.#oldestAt, message.firstAt)
    // V8 keeps a key built by joining as two octets a character at worst.
    this.#count(message, messageOverheadBytes + key.length * 2)
    return message
  }

  #count(message: StoredMessage, bytes: number): void {
    message.bytes += bytes
    this.#bytes += bytes
  }

  #drop(key: string, message: StoredMessage): void {
    this.#messages.delete(key)
    this.#bytes -= message.bytes
  }

  // Clears a sixteenth at a time, so that the walk is not paid for each part of a flood.
  #makeRoom(): void {
    if (this.#bytes <= this.#bytesMax) return
    const target = this.#bytesMax - Math.floor(this.#bytesMax / 16)
    for (const [key, message] of this.#messages) {
      if (this.#bytes <= target) return
      this.#drop(key, message)
      this.#evictedCount++
    }
  }
}

function keyOf({
  peer,
  source,
  destination,
  position,
}: Pick<ArrivedPart, 'peer' | 'source' | 'destination' | 'position'>) {
  // JSON quotes each value, so no address can imitate the border between two.
  return JSON.stringify([peer, source, destination, position.carrier, position.reference])
}

function relate(known: StoredMessage, part: ArrivedPart, content: string): 'repeated' | 'reused' | 'next' {
  if (known.total !== part.position.total) return 'reused'
  const earlier = known.parts.get(part.position.sequence)
  if (earlier === undefined) return 'next'
  return earlier.content === content && earlier.alphabet === part.alphabet ? 'repeated' : 'reused'
}

function arrival(message: StoredMessage, flags: readonly TextFlag[]): PartArrival {
  const receivedCount = message.parts.size
  return { isComplete: receivedCount === message.total, receivedCount, flags, text: undefined }
}

function completed(message: StoredMessage, flags: readonly TextFlag[]): PartArrival {
  const joined = join(message)
  return { ...arrival(message, mergeFlags(flags, joined.flags)), text: joined.text }
}

function join(message: StoredMessage): JoinedText {
  const parts = [...message.parts].map(([sequence, { alphabet, content }]) => ({
    sequence,
    alphabet,
    content: Buffer.from(content, 'latin1'),
  }))
  return joinParts(parts, message.total)
}

function latin1(octets: Uint8Array): string {
  return Buffer.from(octets.buffer, octets.byteOffset, octets.byteLength).toString('latin1')
}
