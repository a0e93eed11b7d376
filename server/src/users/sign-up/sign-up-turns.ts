// Turns of strangers who sign up. A crowd behind one address would otherwise ask the database for each of them at once.
import { setImmediate } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Clock } from '../../platform/clock.ts'
import { FairQueue } from '../../platform/load/fair-queue.ts'

// A password's hash takes longer than all else, and takes turns too: more at once make no account sooner.
const limits = { runningMaxOfKey: 1, waitingMaxOfKey: 64, totalMax: 500 }
// Whoever waits behind a refused one of the same network is refused for the same reason, without asking again.
const refusedForMs = 1_000

interface Refused {
  readonly refusal: Refusal
  readonly untilMs: number
}

/** One sign-up of a network at a time. Throws Refusal too_many when many of it wait. */
export class SignUpTurns {
  readonly #clock: Clock
  readonly #queue = new FairQueue(limits, tooMany)
  readonly #refused = new Map<string, Refused>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  run<T>(network: string, work: () => Promise<T>): Promise<T> {
    return this.#queue.run(
      async () => {
        const refused = this.#refused.get(network)
        if (refused !== undefined && this.#clock.now().getTime() < refused.untilMs) {
          // Else all who wait would be refused in one turn of the event loop.
          await setImmediate()
          throw refused.refusal
        }
        try {
          return await work()
        } catch (error) {
          if (error instanceof Refusal && error.code === 'too_many') this.#remember(network, error)
          throw error
        }
      },
      { key: network },
    )
  }

  #remember(network: string, refusal: Refusal): void {
    const nowMs = this.#clock.now().getTime()
    for (const [key, { untilMs }] of this.#refused) if (untilMs <= nowMs) this.#refused.delete(key)
    this.#refused.set(network, { refusal, untilMs: nowMs + refusedForMs })
  }
}

function tooMany(): Refusal {
  return new Refusal('too_many', 'Too many people are signing in. Try again in a few seconds.', {
    retryAfterSeconds: 2,
  })
}
