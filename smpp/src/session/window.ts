// Requests of ours: at most `max` unanswered at once, the others wait in line. Knows no wire and no clock.
import type { AnyPdu } from '../pdu/registry.ts'
import type { SendBody, SendName, SendOutcome } from './handlers.ts'
import { nextSequence } from './sequence.ts'

export interface Waiting {
  command: SendName
  body: SendBody<SendName>
  settle: (outcome: SendOutcome) => void
}

interface Sent extends Waiting {
  dueAtMs: number
}

// Late answers are recognised for so many requests; a peer that owes more has stopped answering altogether.
const lateMax = 1_000

/** Keeps our requests until each is settled, at most `max` of them unanswered; sequences as §5.1.4 has them. Times in ms. */
export class SendWindow {
  readonly #max: number
  readonly #sent = new Map<number, Sent>()
  readonly #late = new Map<number, SendName>()
  #queue: Waiting[] = []
  #queueAt = 0
  #lastSequence: number

  /** `lastSequence` is the number before the first to use. */
  constructor(max: number, lastSequence = 0) {
    this.#max = max
    this.#lastSequence = lastSequence
  }

  get inFlightCount(): number {
    return this.#sent.size
  }

  get queuedCount(): number {
    return this.#queue.length - this.#queueAt
  }

  get hasSlot(): boolean {
    return this.#sent.size < this.#max
  }

  /** The next sequence that no unanswered request of ours holds. */
  claimSequence(): number {
    do this.#lastSequence = nextSequence(this.#lastSequence)
    while (this.#sent.has(this.#lastSequence))
    this.#late.delete(this.#lastSequence)
    return this.#lastSequence
  }

  enqueue(waiting: Waiting): void {
    this.#queue.push(waiting)
  }

  /** The next in line, or undefined. */
  dequeue(): Waiting | undefined {
    const next = this.#queue[this.#queueAt]
    if (next === undefined) return undefined
    this.#queueAt += 1
    // Shifting an array for each request would be quadratic in the length of the line.
    if (this.#queueAt > 256 && this.#queueAt * 2 > this.#queue.length) {
      this.#queue = this.#queue.slice(this.#queueAt)
      this.#queueAt = 0
    }
    return next
  }

  sent(sequence: number, waiting: Waiting, dueAtMs: number): void {
    this.#sent.set(sequence, { ...waiting, dueAtMs })
  }

  /** Settles the request that a response belongs to: 'late' after its time-out, 'none' when there is no such one. */
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

  /** When the oldest unanswered request runs out of time. All have the same allowance, so the first is next. */
  get nextDueAtMs(): number | undefined {
    for (const sent of this.#sent.values()) return sent.dueAtMs
    return undefined
  }

  /** Gives up what is due. */
  expire(nowMs: number): void {
    for (const [sequence, sent] of this.#sent) {
      if (sent.dueAtMs > nowMs) break
      this.#sent.delete(sequence)
      this.#late.set(sequence, sent.command)
      const [oldest] = this.#late.keys()
      if (this.#late.size > lateMax && oldest !== undefined) this.#late.delete(oldest)
      sent.settle({ kind: 'timeout', sequence })
    }
  }

  /** The requests never sent are settled as closed; with `withSent` those unanswered too. */
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
