// Our own requests: the queue, the window, the rate, and the response timer.
import type { AnyPdu } from '../pdu/registry.ts'
import type { SessionClock } from './clock.ts'
import { Deadlines } from './deadlines.ts'
import type { SendBody, SendName, SendOutcome, SessionSettings } from './session-types.ts'
import { RateLimit } from './rate.ts'
import { type QueuedRequest, SendWindow } from './window.ts'

// An upstream may count in shorter times than a second, so we send evenly.
const sendBurstMs = 100

interface RequestSenderActions {
  /** Whether a request may be sent now: the session is bound and the peer reads. */
  mayWrite(): boolean
  /** Encodes a request. Returns an error text when its body does not fit. */
  write(command: SendName, sequence: number, body: SendBody<SendName>): string | undefined
}

/** Sends requests within window and rate, and settles each once: answered, timed out, closed or refused. Never rejects. */
export class RequestSender {
  readonly #clock: SessionClock
  readonly #settings: SessionSettings
  readonly #actions: RequestSenderActions
  readonly #window: SendWindow
  readonly #rate: RateLimit
  readonly #deadlines: Deadlines<'response' | 'rate'>

  constructor(clock: SessionClock, settings: SessionSettings, actions: RequestSenderActions) {
    this.#clock = clock
    this.#settings = settings
    this.#actions = actions
    this.#window = new SendWindow(settings.sendWindowMax, settings.lastSequence)
    this.#rate = new RateLimit(settings.sendPerSecond, clock.nowMs(), sendBurstMs)
    this.#deadlines = new Deadlines(clock, (name) => {
      if (name === 'response') this.#expire()
      this.pump()
    })
  }

  get inFlightCount(): number {
    return this.#window.inFlightCount
  }

  get queuedCount(): number {
    return this.#window.queuedCount
  }

  /** Changes how many requests may be unanswered. */
  setWindow(max: number): void {
    this.#window.max = max
    this.pump()
  }

  /** A sequence number for a request that this class does not track: bind, unbind, enquire_link. */
  claimSequence(): number {
    return this.#window.claimSequence()
  }

  send(command: SendName, body: SendBody<SendName>, signal?: AbortSignal): Promise<SendOutcome> {
    if (signal?.aborted === true) return Promise.resolve({ kind: 'aborted', wasSent: false })
    if (this.#window.queuedCount >= this.#settings.sendQueueMax) {
      return Promise.resolve({ kind: 'refused', reason: 'queue-full', detail: 'too many requests wait' })
    }
    return new Promise((settle) => {
      this.#window.enqueue(this.#abortable({ command, body, settle }, signal))
      this.pump()
    })
  }

  /** The request, which settles as aborted when the signal says so. */
  #abortable(request: QueuedRequest, signal: AbortSignal | undefined): QueuedRequest {
    if (signal === undefined) return request
    const abort = (): void => {
      this.#window.withdraw(watched)
      // Later, because the same signal may withdraw the next one of the queue, too.
      this.#clock.defer(() => this.pump())
    }
    const watched: QueuedRequest = {
      ...request,
      settle(outcome) {
        signal.removeEventListener('abort', abort)
        request.settle(outcome)
      },
    }
    signal.addEventListener('abort', abort, { once: true })
    return watched
  }

  /** Sends from the queue while window, rate and back-pressure allow it. */
  pump(): void {
    while (this.#window.queuedCount > 0 && this.#window.hasSlot && this.#actions.mayWrite()) {
      const nowMs = this.#clock.nowMs()
      if (!this.#rate.take(nowMs)) {
        if (!this.#deadlines.isSet('rate')) this.#deadlines.start('rate', this.#rate.waitMs(nowMs))
        return
      }
      const waiting = this.#window.dequeue()
      if (waiting === undefined) return
      const sequence = this.#window.claimSequence()
      const fault = this.#actions.write(waiting.command, sequence, waiting.body)
      if (fault !== undefined) {
        waiting.settle({ kind: 'refused', reason: 'invalid', detail: fault })
        continue
      }
      this.#window.sent(sequence, waiting, nowMs + this.#settings.responseMs)
      if (!this.#deadlines.isSet('response')) this.#deadlines.start('response', this.#settings.responseMs)
    }
  }

  /** See SendWindow.answer. */
  answer(pdu: AnyPdu): 'settled' | 'late' | 'none' {
    const result = this.#window.answer(pdu.sequence, pdu)
    if (result === 'settled') this.pump()
    return result
  }

  /** Gives up the queued requests, with `withSent` the unanswered ones as well, because the session is over. */
  abandon(withSent: boolean): void {
    if (withSent) this.#deadlines.clearAll()
    this.#window.abandon(withSent)
  }

  #expire(): void {
    const nowMs = this.#clock.nowMs()
    this.#window.expire(nowMs)
    const nextMs = this.#window.nextDueAtMs
    if (nextMs !== undefined) this.#deadlines.start('response', nextMs - nowMs)
  }
}
