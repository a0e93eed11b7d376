// Notices a message that is repeated while the first is still unanswered. SMPP 3.4 §5.1.4: the sequence number is not an
// idempotency key, so the second is stored too, but flagged for review.
import type { IngestMessage } from './message.ts'

export class Outstanding {
  readonly #byHash = new Map<number, IngestMessage>()

  /** Notes a message; true when one with the same gateway, addresses and sequence (or body) is outstanding. */
  add(message: IngestMessage): boolean {
    const hash = hashOf(message)
    const earlier = this.#byHash.get(hash)
    if (earlier === undefined) {
      this.#byHash.set(hash, message)
      return false
    }
    return (
      earlier.gatewayId === message.gatewayId &&
      earlier.sequence === message.sequence &&
      earlier.digits === message.digits &&
      earlier.sourceAddress === message.sourceAddress &&
      (message.sequence >= 0 || sameBytes(earlier.body, message.body))
    )
  }

  remove(message: IngestMessage): void {
    const hash = hashOf(message)
    if (this.#byHash.get(hash) === message) this.#byHash.delete(hash)
  }
}

/** 30 bits, which V8 keeps without allocating. Two different messages with one hash cost only the notice. */
function hashOf({ gatewayId, sequence, digits, body }: IngestMessage): number {
  let hash = Math.imul(gatewayId, 0x9e3779b1) ^ Math.imul(sequence, 0x85ebca6b)
  for (let place = Math.max(0, digits.length - 6); place < digits.length; place += 1) {
    hash = Math.imul(hash ^ digits.charCodeAt(place), 0x01000193)
  }
  if (sequence < 0) for (const byte of body.subarray(0, 32)) hash = Math.imul(hash ^ byte, 0x01000193)
  return (hash ^ (hash >>> 15)) & 0x3fffffff
}

function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  return left.length === right.length && left.every((byte, place) => byte === right[place])
}
