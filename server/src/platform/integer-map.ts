// A map from whole numbers to whole numbers that grows without a pause and leaves nothing to the collector.

// Each part doubles by itself: at a million keys one doubling moves four thousand.
const partsMax = 256
const firstSlots = 8
// Above this load factor a search looks at too many slots.
const loadFactorMax = 0.6
const free = 0

/**
 * A hash table with open addressing and linear probing: a key is in its home slot, or in the next slot after it that
 * was free.
 */
class HashTable {
  #keys = new Float64Array(firstSlots)
  #values = new Int32Array(firstSlots)
  #count = 0

  /** Where `key` is, or the free slot where it would be. */
  #slotOf(key: number, hash: number): number {
    const last = this.#keys.length - 1
    let slot = hash & last
    for (let found = this.#keys[slot]; found !== key && found !== free; found = this.#keys[slot])
      slot = (slot + 1) & last
    return slot
  }

  get(key: number, hash: number): number | undefined {
    const slot = this.#slotOf(key, hash)
    return key !== free && this.#keys[slot] === key ? this.#values[slot] : undefined
  }

  /** Whether the key is new. */
  set(key: number, hash: number, value: number): boolean {
    let slot = this.#slotOf(key, hash)
    const isNew = this.#keys[slot] !== key
    if (isNew) {
      this.#count += 1
      if (this.#count > this.#keys.length * loadFactorMax) {
        this.#double()
        slot = this.#slotOf(key, hash)
      }
      this.#keys[slot] = key
    }
    this.#values[slot] = value
    return isNew
  }

  /**
   * Returns whether the key was there. Keys after the gap that belong before it move up (backward shift), so that a
   * search may end at the first free slot.
   */
  delete(key: number, hash: number): boolean {
    const [keys, values] = [this.#keys, this.#values]
    const last = keys.length - 1
    let gap = this.#slotOf(key, hash)
    if (key === free || keys[gap] !== key) return false
    this.#count -= 1
    for (let slot = (gap + 1) & last; ; slot = (slot + 1) & last) {
      const moved = keys[slot] ?? free
      if (moved === free) break
      if (((slot - hashOfInteger(moved)) & last) < ((slot - gap) & last)) continue
      keys[gap] = moved
      values[gap] = values[slot] ?? 0
      gap = slot
    }
    keys[gap] = free
    return true
  }

  #double(): void {
    const [keys, values] = [this.#keys, this.#values]
    this.#keys = new Float64Array(keys.length * 2)
    this.#values = new Int32Array(keys.length * 2)
    // By places: an iterator would make two objects of each key.
    for (let slot = 0; slot < keys.length; slot += 1) {
      const key = keys[slot] ?? free
      if (key === free) continue
      const to = this.#slotOf(key, hashOfInteger(key))
      this.#keys[to] = key
      this.#values[to] = values[slot] ?? 0
    }
  }
}

/**
 * The one hash table of our own, for what JavaScript's own map does badly. Its table doubles at one go: 85 ms at 262,144
 * entries, during which nobody gets an answer. And each table that it outgrew keeps a link to the next one, so that what
 * the later ones held stays in memory until the next full collection. Keys are from 1 to 2^53 - 1 (0 is never there),
 * values of 32 bits with their sign.
 */
export class IntegerMap {
  readonly #parts: readonly HashTable[]
  #size = 0

  /** `partCount` is a power of two up to 256: fewer parts take less memory, more parts shorten the pause of a doubling. */
  constructor(partCount = partsMax) {
    this.#parts = Array.from({ length: partCount }, () => new HashTable())
  }

  get size(): number {
    return this.#size
  }

  get(key: number): number | undefined {
    const hash = hashOfInteger(key)
    return this.#partOf(hash).get(key, hash)
  }

  set(key: number, value: number): void {
    const hash = hashOfInteger(key)
    if (this.#partOf(hash).set(key, hash, value)) this.#size += 1
  }

  /** Whether it was there. */
  delete(key: number): boolean {
    const hash = hashOfInteger(key)
    const isGone = this.#partOf(hash).delete(key, hash)
    if (isGone) this.#size -= 1
    return isGone
  }

  /** By the highest bits; the lowest choose the slot. */
  #partOf(hash: number): HashTable {
    return this.#parts[(hash >>> 24) & (this.#parts.length - 1)] as HashTable
  }
}

/** 32 bits in which keys that follow each other are scattered, so that the parts do not all double together. */
export function hashOfInteger(key: number): number {
  const high = (key / 0x1_0000_0000) | 0
  let mixed = Math.imul(key ^ Math.imul(high, 0x9e37_79b1), 0x85eb_ca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2_ae35)
  return mixed ^ (mixed >>> 16)
}
