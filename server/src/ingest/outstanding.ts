// Notices a message that is repeated while the first one is still unanswered. SMPP 3.4 §5.1.4: the sequence number is not
// an idempotency key, so the second message is stored too, but flagged for review.
import { IntegerMap } from '../platform/integer-map.ts'
import type { IngestMessage } from './message.ts'

export class OutstandingMessages {
  /** The row of the last message with this hash; the row before it is in `#earlier`, -1 if there is none. */
  readonly #rowOfHash = new IntegerMap(16)
  readonly #messages: (IngestMessage | undefined)[] = []
  readonly #earlier: number[] = []
  readonly #freeRows: number[] = []

  /** Notes a message; true when one with the same gateway, addresses and sequence (or body) is outstanding. */
  add(message: IngestMessage): boolean {
    const hash = hashOf(message)
    const last = this.#rowOfHash.get(hash) ?? -1
    const row = this.#freeRows.pop() ?? this.#messages.length
    this.#messages[row] = message
    this.#earlier[row] = last
    this.#rowOfHash.set(hash, row)
    for (let at = last; at >= 0; at = this.#earlier[at] ?? -1) {
      const earlier = this.#messages[at]
      if (earlier !== undefined && isSame(earlier, message)) return true
    }
    return false
  }

  remove(message: IngestMessage): void {
    const hash = hashOf(message)
    let later = -1
    let row = this.#rowOfHash.get(hash) ?? -1
    while (row >= 0 && this.#messages[row] !== message) {
      later = row
      row = this.#earlier[row] ?? -1
    }
    if (row < 0) return
    const earlier = this.#earlier[row] ?? -1
    if (later >= 0) this.#earlier[later] = earlier
    else if (earlier >= 0) this.#rowOfHash.set(hash, earlier)
    else this.#rowOfHash.delete(hash)
    this.#messages[row] = undefined
    this.#freeRows.push(row)
  }
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

/** From 1 to 2^30 - 1: a key of the map, and a number that V8 keeps without allocating. */
function hashOf({ gatewayId, sequence, digits, body }: IngestMessage): number {
  let hash = Math.imul(gatewayId, 0x9e3779b1) ^ Math.imul(sequence, 0x85ebca6b)
  for (let index = Math.max(0, digits.length - 6); index < digits.length; index += 1) {
    hash = Math.imul(hash ^ digits.charCodeAt(index), 0x01000193)
  }
  if (sequence < 0) {
    const end = Math.min(32, body.length)
    for (let index = 0; index < end; index += 1) hash = Math.imul(hash ^ (body[index] ?? 0), 0x01000193)
  }
  return (hash ^ (hash >>> 15)) & 0x3fffffff || 1
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, index) => byte === right[index])
}
