// A map that grows without a pause.

// Each doubles by itself: at a million entries one doubling moves four thousand.
const shardCount = 256

/**
 * A map for hundreds of thousands of entries in a process that must answer meanwhile. JavaScript's own doubles its table
 * at one go: 85 ms at 262,144 entries, during which nobody gets an answer. `hash` must spread the keys over 32 bits
 * unevenly enough that the shards do not all double together; {@link hashOfId} and {@link hashOfText} do.
 */
export class SpreadMap<K, V> {
  readonly #hash: (key: K) => number
  readonly #shards: readonly Map<K, V>[] = Array.from({ length: shardCount }, () => new Map<K, V>())
  #size = 0

  constructor(hash: (key: K) => number) {
    this.#hash = hash
  }

  get size(): number {
    return this.#size
  }

  get(key: K): V | undefined {
    return this.#shardOf(key).get(key)
  }

  has(key: K): boolean {
    return this.#shardOf(key).has(key)
  }

  set(key: K, value: V): void {
    const shard = this.#shardOf(key)
    const before = shard.size
    shard.set(key, value)
    this.#size += shard.size - before
  }

  /** Whether it was there. */
  delete(key: K): boolean {
    const isGone = this.#shardOf(key).delete(key)
    if (isGone) this.#size -= 1
    return isGone
  }

  #shardOf(key: K): Map<K, V> {
    // The highest bits: a product's lowest follow those of its factor, and ids that follow each other would fill all
    // shards alike.
    return this.#shards[this.#hash(key) >>> 24] as Map<K, V>
  }
}

/** For ids of the database, which mostly follow each other. */
export function hashOfId(id: number): number {
  const mixed = Math.imul(id ^ (id >>> 15), 0x2c1b_3c6d)
  return Math.imul(mixed ^ (mixed >>> 12), 0x297a_2d39)
}

/** For short texts. */
export function hashOfText(text: string): number {
  let hash = 0
  for (let place = 0; place < text.length; place += 1) hash = Math.imul(hash, 31) + text.charCodeAt(place)
  return hashOfId(hash)
}
