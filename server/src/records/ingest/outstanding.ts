// Notices a message that is repeated while the first one is still unanswered. SMPP 3.4 §5.1.4: the sequence number is not
// an idempotency key, so the second message is stored too, but flagged for review.
import type { IngestMessage } from './message.ts'

const startSlots = 4_096

/**
 * A hash table of our own, because of V8's garbage collection. When a Map is rehashed, the old table stays behind with a
 * link to the new one. Once an old table is in the old generation, all messages of the later tables stay alive until the
 * next full collection.
 */
export class OutstandingMessages {
  // Open addressing with linear probing; at most half of the slots are taken.
  #slots: (IngestMessage | undefined)[] = emptySlots(startSlots)
  #mask = startSlots - 1
  #count = 0

  /** Notes a message; true when one with the same gateway, addresses and sequence (or body) is outstanding. */
  add(message: IngestMessage): boolean {
    if (this.#count * 2 > this.#mask) this.#grow()
    let isRepeated = false
    let slot = hashOf(message) & this.#mask
    for (;;) {
      const earlier = this.#slots[slot]
      if (earlier === undefined) break
      if (isSame(earlier, message)) isRepeated = true
      slot = (slot + 1) & this.#mask
    }
    this.#slots[slot] = message
    this.#count += 1
    return isRepeated
  }

  remove(message: IngestMessage): void {
    const mask = this.#mask
    let slot = hashOf(message) & mask
    for (;;) {
      const found = this.#slots[slot]
      if (found === undefined) return
      if (found === message) break
      slot = (slot + 1) & mask
    }
    this.#count -= 1
    // Entries that were pushed past this slot move up, so that a lookup can still stop at the first gap.
    let gap = slot
    for (let next = (gap + 1) & mask; ; next = (next + 1) & mask) {
      const moved = this.#slots[next]
      if (moved === undefined) break
      if (((next - hashOf(moved)) & mask) < ((next - gap) & mask)) continue
      this.#slots[gap] = moved
      gap = next
    }
    this.#slots[gap] = undefined
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = emptySlots(before.length * 2)
    this.#mask = this.#slots.length - 1
    for (const message of before) {
      if (message === undefined) continue
      let slot = hashOf(message) & this.#mask
      while (this.#slots[slot] !== undefined) slot = (slot + 1) & this.#mask
      this.#slots[slot] = message
    }
  }
}

function emptySlots(count: number): (IngestMessage | undefined)[] {
  return Array.from<IngestMessage | undefined>({ length: count }).fill(undefined)
}

function isSame(earlier: IngestMessage, later: IngestMessage): boolean {
  return (
    earlier.sequence === later.sequence &&
    earlier.gatewayId === later.gatewayId &&
    earlier.digits === later.digits &&
    earlier.sourceAddress === later.sourceAddress &&
    (later.sequence >= 0 || sameBytes(earlier.body, later.body))
  )
}

/** 30 bits, which V8 keeps without allocating. */
function hashOf({ gatewayId, sequence, digits, body }: IngestMessage): number {
  let hash = Math.imul(gatewayId, 0x9e3779b1) ^ Math.imul(sequence, 0x85ebca6b)
  for (let index = Math.max(0, digits.length - 6); index < digits.length; index += 1) {
    hash = Math.imul(hash ^ digits.charCodeAt(index), 0x01000193)
  }
  if (sequence < 0) {
    const end = Math.min(32, body.length)
    for (let index = 0; index < end; index += 1) hash = Math.imul(hash ^ (body[index] ?? 0), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) & 0x3fffffff
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}
