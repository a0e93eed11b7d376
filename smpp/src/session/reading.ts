// Whether bytes are taken from the peer: back-pressure both ways, and the user's own wish.
import type { SessionSettings } from './handlers.ts'
import type { Transport } from './transport.ts'

/** Pauses the transport at half of `unsentOctetsMax` and above `heldOctetsMax`, and resumes it below. */
export class Reading {
  readonly #transport: Transport
  readonly #settings: SessionSettings
  isPausedByUser = false
  isPausedForFlood = false
  isPaused = false

  constructor(transport: Transport, settings: SessionSettings) {
    this.#transport = transport
    this.#settings = settings
  }

  /** Stops or goes on by what is unsent and unanswered. 'overflow': the peer never takes what we answer. */
  balance(heldOctets: number): 'kept' | 'changed' | 'overflow' {
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
