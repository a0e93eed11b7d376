// Why a session ends, and that its end is told once, when nothing can come any more.
import type { CloseReason } from './handlers.ts'

/** The last word about a session: told when it is finished, its transport gone and no bind of it is being judged. */
export class Ending {
  readonly #tell: (reason: CloseReason) => void
  #isTold = false
  #waiting: (() => void)[] = []
  /** Why it ends; set as soon as that is known, for an unbind long before the end. */
  reason: CloseReason | undefined
  isTransportGone = false
  /** The account that a bind brings must be known when the end is told, or its place would never be given back. */
  isBindPending = false

  constructor(tell: (reason: CloseReason) => void) {
    this.#tell = tell
  }

  /** Settles when the end has been told; at once when the transport is gone already. */
  whenTold(): Promise<void> {
    if (this.isTransportGone) return Promise.resolve()
    return new Promise((settle) => this.#waiting.push(settle))
  }

  /** Tells the end if it is time. */
  tellIfDone(): void {
    if (!this.isTransportGone || this.isBindPending || this.#isTold || this.reason === undefined) return
    this.#isTold = true
    this.#tell(this.reason)
    for (const settle of this.#waiting.splice(0)) settle()
  }
}
