// The end of a session: its reason, and one report when nothing can follow.
import type { CloseReason } from './session-types.ts'

/** The detail of an end by our unbind when the peer did not answer it. */
export const unansweredUnbind = 'no unbind_resp in time'

/**
 * Whether the session ended by an unbind that was answered (§4.2), so that the peer has read all that we sent before it; or
 * by the peer's own.
 */
export function isOrderlyEnd({ cause, detail }: CloseReason): boolean {
  return (cause === 'unbind' || cause === 'stop') && detail !== unansweredUnbind
}

/** Reports the end once: when the session is finished, its transport is gone and no bind of it is being judged. */
export class SessionEnd {
  readonly #report: (reason: CloseReason) => void
  #isReported = false
  #waiting: (() => void)[] = []
  /** Why the session ends; set as soon as it is known, for an unbind long before the end. */
  reason: CloseReason | undefined
  isTransportGone = false
  /** While true the end is not reported: its receiver must know the account, to free the bind that it counted. */
  isBindPending = false

  constructor(report: (reason: CloseReason) => void) {
    this.#report = report
  }

  /** Settles when the end has been reported; at once when the transport is gone already. */
  whenReported(): Promise<void> {
    if (this.isTransportGone) return Promise.resolve()
    return new Promise((settle) => this.#waiting.push(settle))
  }

  /** Reports the end if all three conditions hold. */
  reportIfDone(): void {
    if (!this.isTransportGone || this.isBindPending || this.#isReported || this.reason === undefined) return
    this.#isReported = true
    this.#report(this.reason)
    for (const settle of this.#waiting.splice(0)) settle()
  }
}
