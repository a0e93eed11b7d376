// The orderly end, begun by either side: open requests are answered before unbind, or its response, is sent.
import { commandId } from '../values/command-id.ts'
import type { Deadlines } from './deadlines.ts'
import { unansweredUnbind, type SessionEnd } from './session-end.ts'
import type { CloseReason, SessionSettings } from './session-types.ts'
import type { OpenRequests } from './open-requests.ts'
import type { Deadline, SessionTransitions } from './internals.ts'
import type { RequestSender } from './request-sender.ts'
import type { PduWriter } from './pdu-writer.ts'

interface UnbindingDeps {
  settings: SessionSettings
  deadlines: Deadlines<Deadline>
  openRequests: OpenRequests
  sender: RequestSender
  pduWriter: PduWriter
  sessionEnd: SessionEnd
  transitions: Pick<SessionTransitions<never>, 'beginUnbind' | 'finish'>
  /** What has to be done before a peer that unbinds is answered; undefined when nothing has. */
  leave(): Promise<void> | undefined
}

/** Ends a session by unbind (§4.2). Its deadlines are `drain` and `unbind`; times in ms. */
export class Unbinding {
  readonly #deps: UnbindingDeps
  #peerSequence: number | undefined
  #isSent = false
  #leaving: 'not-yet' | 'now' | 'done' = 'not-yet'

  constructor(deps: UnbindingDeps) {
    this.#deps = deps
  }

  /** Whether the peer has sent unbind, first or after us. */
  get isByPeer(): boolean {
    return this.#peerSequence !== undefined
  }

  /** The peer unbinds. */
  byPeer(sequence: number): void {
    this.#peerSequence ??= sequence
    this.#begin(this.#deps.settings.unbindMs)
  }

  /** We unbind: half of the time is for the answers to open requests, ours and the peer's. */
  byUs(cause: CloseReason['cause'], timeoutMs: number): void {
    this.#deps.sessionEnd.reason = { by: 'us', cause, detail: '' }
    this.#deps.deadlines.start('drain', timeoutMs / 2)
    this.#begin(timeoutMs)
  }

  #begin(timeoutMs: number): void {
    this.#deps.transitions.beginUnbind()
    this.#deps.sender.abandon(false)
    this.#deps.deadlines.start('unbind', timeoutMs)
    this.proceed()
  }

  /** Called after an answer: when no request is open, sends unbind or answers the peer's. */
  proceed(): void {
    const { openRequests, sender } = this.#deps
    this.#proceed(openRequests.unansweredCount === 0 && sender.inFlightCount === 0)
  }

  /** A deadline is due: open requests stay unanswered. */
  due(name: 'drain' | 'unbind'): void {
    if (name === 'drain' || this.isByPeer) this.#proceed(true, name === 'unbind')
    else this.#finish('us', unansweredUnbind)
  }

  /** Takes the peer's unbind_resp; false when we sent no unbind. */
  answered(): boolean {
    if (this.#isSent) this.#finish('us', 'unbound')
    return this.#isSent
  }

  /** Whether all is done that has to be before unbind_resp: with it the peer may bind again. */
  #hasLeft(isOverdue: boolean): boolean {
    if (this.#leaving === 'not-yet') {
      const left = this.#deps.leave()
      this.#leaving = left === undefined ? 'done' : 'now'
      void left?.then(() => {
        this.#leaving = 'done'
        this.proceed()
      })
    }
    return this.#leaving === 'done' || isOverdue
  }

  #proceed(isDrained: boolean, isOverdue = false): void {
    const { deadlines, openRequests, sender, pduWriter } = this.#deps
    if (this.#peerSequence !== undefined) {
      if (openRequests.unansweredCount > 0 && !isDrained) return
      if (!this.#hasLeft(isOverdue)) return
      pduWriter.header(commandId.unbind_resp, 0, this.#peerSequence)
      this.#finish('peer', 'the peer unbound')
    } else if (isDrained && !this.#isSent) {
      this.#isSent = true
      deadlines.clear('drain')
      pduWriter.header(commandId.unbind, 0, sender.claimSequence())
    }
  }

  /** Ends the session with the cause of our unbind, if there was one. */
  #finish(by: CloseReason['by'], detail: string): void {
    const { sessionEnd, transitions } = this.#deps
    transitions.finish(by, sessionEnd.reason?.cause ?? 'unbind', detail)
  }
}
