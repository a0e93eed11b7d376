// The orderly end, begun by either side: open requests are answered before unbind, or its response, is sent.
import { commandId } from '../values/command-id.ts'
import type { Deadlines } from './deadlines.ts'
import type { Ending } from './ending.ts'
import type { CloseReason, SessionSettings } from './handlers.ts'
import type { Intake } from './intake.ts'
import type { Deadline, Steps } from './parts.ts'
import type { Sender } from './sender.ts'
import type { Speaker } from './speaker.ts'

interface UnbindingParts {
  settings: SessionSettings
  deadlines: Deadlines<Deadline>
  intake: Intake
  sender: Sender
  speaker: Speaker
  ending: Ending
  steps: Pick<Steps<never>, 'beginUnbind' | 'finish'>
}

/** Ends a session by unbind (§4.2). Its deadlines are `drain` and `unbind`; times in ms. */
export class Unbinding {
  readonly #parts: UnbindingParts
  #peerSequence: number | undefined
  #isSent = false

  constructor(parts: UnbindingParts) {
    this.#parts = parts
  }

  /** Whether the peer has sent unbind, first or after us. */
  get isByPeer(): boolean {
    return this.#peerSequence !== undefined
  }

  /** The peer unbinds. */
  byPeer(sequence: number): void {
    this.#peerSequence ??= sequence
    this.#begin(this.#parts.settings.unbindMs)
  }

  /** We unbind: half of the time is for the answers to open requests, ours and the peer's. */
  byUs(cause: CloseReason['cause'], timeoutMs: number): void {
    this.#parts.ending.reason = { by: 'us', cause, detail: '' }
    this.#parts.deadlines.start('drain', timeoutMs / 2)
    this.#begin(timeoutMs)
  }

  #begin(timeoutMs: number): void {
    this.#parts.steps.beginUnbind()
    this.#parts.sender.abandon(false)
    this.#parts.deadlines.start('unbind', timeoutMs)
    this.goOn()
  }

  /** Called after an answer: when no request is open, sends unbind or answers the peer's. */
  goOn(): void {
    const { intake, sender } = this.#parts
    this.#goOn(intake.unansweredCount === 0 && sender.inFlightCount === 0)
  }

  /** A deadline is due: open requests stay unanswered. */
  due(name: 'drain' | 'unbind'): void {
    if (name === 'drain' || this.isByPeer) this.#goOn(true)
    else this.#finish('us', 'no unbind_resp in time')
  }

  /** Takes the peer's unbind_resp; false when we sent no unbind. */
  answered(): boolean {
    if (this.#isSent) this.#finish('us', 'unbound')
    return this.#isSent
  }

  #goOn(isDrained: boolean): void {
    const { deadlines, intake, sender, speaker } = this.#parts
    if (this.#peerSequence !== undefined) {
      if (intake.unansweredCount > 0 && !isDrained) return
      speaker.header(commandId.unbind_resp, 0, this.#peerSequence)
      this.#finish('peer', 'the peer unbound')
    } else if (isDrained && !this.#isSent) {
      this.#isSent = true
      deadlines.clear('drain')
      speaker.header(commandId.unbind, 0, sender.claimSequence())
    }
  }

  /** Ends the session with the cause of our unbind, if there was one. */
  #finish(by: CloseReason['by'], detail: string): void {
    const { ending, steps } = this.#parts
    steps.finish(by, ending.reason?.cause ?? 'unbind', detail)
  }
}
