// Decides whether we read from the peer: back-pressure in both directions, pauses for floods, and pauses by the user.
import type { SessionSettings } from './session-types.ts'
import type { Transport } from './transport.ts'

/** Pauses the transport at half of `unsentOctetsMax` and above `heldOctetsMax`, and resumes it below. */
export class ReadControl {
  readonly #transport: Transport
  readonly #settings: SessionSettings
  isPausedByUser = false
  isPausedForFlood = false
  isPaused = false

  constructor(transport: Transport, settings: SessionSettings) {
    this.#transport = transport
    this.#settings = settings
  }

  /** Pauses or resumes by what is unsent and unanswered. 'overflow': the peer does not read our answers. */
  update(heldOctets: number): 'kept' | 'changed' | 'overflow' {
    const { unsentOctetsMax, heldOctetsMax } = this.#settings
    const unsent = this.#transport.unsentOctets
    if (unsent > unsentOctetsMax) return 'overflow'
    const isPaused =
      this.isPausedByUser ||
      this.isPausedForFlood ||
      unsent > unsentOctetsMax / 2 ||
      heldOctets > heldOctetsMax
    if (isPaused === this.isPaused) return 'kept'
    this.isPaused = isPaused
    if (isPaused) this.#transport.pause()
    else this.#transport.resume()
    return 'changed'
  }
}
