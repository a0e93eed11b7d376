// Messages that wait for a writer, in order of arrival. Stored as columns, so that a message needs no further object.
import type { IngestMessage } from './message.ts'

export class MessageQueue {
  readonly messages: IngestMessage[] = []
  /** When each was accepted, by performance.now(). */
  readonly acceptedAtMs: number[] = []
  /** recordFlags to add to each. */
  readonly extraFlags: number[] = []
  byteCount = 0

  get length(): number {
    return this.messages.length
  }

  push(message: IngestMessage, acceptedAtMs: number, extraFlags: number): void {
    this.messages.push(message)
    this.acceptedAtMs.push(acceptedAtMs)
    this.extraFlags.push(extraFlags)
    this.byteCount += message.body.length + parameterOctets(message)
  }

  /** Takes the first `count` out. */
  shift(count: number): MessageQueue {
    const first = new MessageQueue()
    for (let index = 0; index < count; index += 1) first.#pushFrom(this, index)
    this.messages.splice(0, count)
    this.acceptedAtMs.splice(0, count)
    this.extraFlags.splice(0, count)
    this.byteCount -= first.byteCount
    return first
  }

  /** The two halves, to find the one bad message of a batch. */
  halves(): [MessageQueue, MessageQueue] {
    const second = new MessageQueue()
    const first = new MessageQueue()
    const middle = this.length >>> 1
    for (let index = 0; index < this.length; index += 1) {
      const half = index < middle ? first : second
      half.#pushFrom(this, index)
    }
    return [first, second]
  }

  #pushFrom(other: MessageQueue, index: number): void {
    const message = other.messages[index]
    if (message === undefined) return
    this.push(message, other.acceptedAtMs[index] ?? 0, other.extraFlags[index] ?? 0)
  }
}

/** Octets of the optional parameters, which a message keeps in memory while it waits; mostly there are none. */
function parameterOctets({ sent }: IngestMessage): number {
  if (sent === undefined || sent.tlvs.length === 0) return 0
  return sent.tlvs.reduce((sum, { value }) => sum + value.length, 0)
}
