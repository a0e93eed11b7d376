// Messages that wait for a writer, in the order they came. Columns instead of an object for each.
import type { IngestMessage } from './message.ts'

export class Waiting {
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
    this.byteCount += message.body.length
  }

  /** Takes the first `count` out. */
  shift(count: number): Waiting {
    const first = new Waiting()
    for (let place = 0; place < count; place += 1) first.#pushFrom(this, place)
    this.messages.splice(0, count)
    this.acceptedAtMs.splice(0, count)
    this.extraFlags.splice(0, count)
    this.byteCount -= first.byteCount
    return first
  }

  /** The two halves, for telling a bad message from its neighbours. */
  halves(): [Waiting, Waiting] {
    const second = new Waiting()
    const first = new Waiting()
    const middle = this.length >>> 1
    for (let place = 0; place < this.length; place += 1) {
      const half = place < middle ? first : second
      half.#pushFrom(this, place)
    }
    return [first, second]
  }

  #pushFrom(other: Waiting, place: number): void {
    const message = other.messages[place]
    if (message === undefined) return
    this.push(message, other.acceptedAtMs[place] ?? 0, other.extraFlags[place] ?? 0)
  }
}
