// Our own requests: at most `max` are unanswered at once, the others wait in a queue. No I/O and no clock.
import type { AnyPdu } from '../pdu/registry.ts'
import type { SendBody, SendName, SendOutcome } from './session-types.ts'
import { nextSequence } from './sequence.ts'

export interface QueuedRequest {
  command: SendName
  body: SendBody<SendName>
  settle: (outcome: SendOutcome) => void
}

interface SentRequest extends QueuedRequest {
  dueAtMs: number
}

// For so many requests a late answer is recognised; a peer that owes more has stopped answering.
const lateMax = 1_000

/** Keeps our requests until each is settled, at most `max` of them unanswered. Sequence numbers by §5.1.4; times in ms. */
export class SendWindow {
  /** At most so many unanswered. */
  max: number
  readonly #sent = new Map<number, SentRequest>()
  readonly #late = new Map<number, SendName>()
  #queue: QueuedRequest[] = []
  #queueAt = 0
  #lastSequence: number

  /** `lastSequence` is the number before the first to use. */
  constructor(max: number, lastSequence = 0) {
    this.max = max
    this.#lastSequence = lastSequence
  }

  get inFlightCount(): number {
    return this.#sent.size
  }

  get queuedCount(): number {
    return this.#queue.length - this.#queueAt
  }

  get hasSlot(): boolean {
    return this.#sent.size < this.max
  }

  /** The next sequence number that no unanswered request of ours has. */
  claimSequence(): number {
    do this.#lastSequence = nextSequence(this.#lastSequence)
    while (this.#sent.has(this.#lastSequence))
    this.#late.delete(this.#lastSequence)
    return this.#lastSequence
  }

  enqueue(waiting: QueuedRequest): void {
    this.#queue.push(waiting)
  }

  /** The next of the queue, or undefined. */
  dequeue(): QueuedRequest | undefined {
    const next = this.#queue[this.#queueAt]
    if (next === undefined) return undefined
    this.#queueAt += 1
    // Shifting the array for each request would be quadratic in the length of the queue.
    if (this.#queueAt > 256 && this.#queueAt * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueAt)
      this.#queueAt = 0
    }
    return next
  }

  sent(sequence: number, waiting: QueuedRequest, dueAtMs: number): void {
    this.#sent.set(sequence, { ...waiting, dueAtMs })
  }

  /** Settles the request of a response: 'late' after its time-out, 'none' when there is no such request. */
  answer(sequence: number, response: AnyPdu): 'settled' | 'late' | 'none' {
    const sent = this.#sent.get(sequence)
    const command = sent?.command ?? this.#late.get(sequence)
    const isNack = response.command === 'generic_nack'
    if (command === undefined || !(isNack || response.command === `${command}_resp`)) return 'none'
    if (sent === undefined) {
      this.#late.delete(sequence)
      return 'late'
    }
    this.#sent.delete(sequence)
    const messageId = 'messageId' in response.body ? response.body.messageId : ''
    // §4.3: a generic_nack never means success, whatever status it carries.
    const status = isNack && response.status === 0 ? 0xff : response.status
    sent.settle({ kind: 'answered', status, messageId, sequence, response })
    return 'settled'
  }

  /** When the oldest unanswered request times out. All have the same time-out, so the first is the next one due. */
  get nextDueAtMs(): number | undefined {
    for (const sent of this.#sent.values()) return sent.dueAtMs
    return undefined
  }

  /** Settles a request as aborted. The answer to one that was sent already is a late one. */
  withdraw({ settle }: QueuedRequest): void {
    const place = this.#queue.findIndex((each, index) => index >= this.#queueAt && each.settle === settle)
    if (place >= 0) this.#queue.splice(place, 1)
    for (const [sequence, sent] of this.#sent) {
      if (sent.settle !== settle) continue
      this.#sent.delete(sequence)
      this.#addLate(sequence, sent.command)
      settle({ kind: 'aborted', wasSent: true })
      return
    }
    if (place >= 0) settle({ kind: 'aborted', wasSent: false })
  }

  /** Settles the requests that have timed out. */
  expire(nowMs: number): void {
    for (const [sequence, sent] of this.#sent) {
      if (sent.dueAtMs > nowMs) break
      this.#sent.delete(sequence)
      this.#addLate(sequence, sent.command)
      sent.settle({ kind: 'timeout', sequence })
    }
  }

  #addLate(sequence: number, command: SendName): void {
    this.#late.set(sequence, command)
    const [oldest] = this.#late.keys()
    if (this.#late.size > lateMax && oldest !== undefined) this.#late.delete(oldest)
  }

  /** Settles the queued requests as closed; with `withSent` also the unanswered ones. */
  abandon(withSent: boolean): void {
    const waiting = this.#queue.slice(this.#queueAt)
    this.#queue = []
    this.#queueAt = 0
    const sent = withSent ? [...this.#sent.values()] : []
    if (withSent) this.#sent.clear()
    for (const each of sent) each.settle({ kind: 'closed', wasSent: true })
    for (const each of waiting) each.settle({ kind: 'closed', wasSent: false })
  }
}
