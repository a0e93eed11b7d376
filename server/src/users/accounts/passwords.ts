// Hashing of passwords. Each hash takes 19 MiB and some 40 ms of a core, so only a few run at a time.
import { randomBytes } from 'node:crypto'
import { hash, verify } from '@node-rs/argon2'
import { Refusal } from '@tollgate/contract/errors.ts'

// OWASP ASVS 5.0, 11.4.2: argon2id (the library's default kind) with 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
// More at once would take the cores from everybody who is already signed in.
const parallelMax = 2
// Beyond it a caller would wait some ten seconds and give up anyway.
const waitingMax = 500

export interface Hasher {
  hash(password: string): Promise<string>
  /** Compares with a hash; without one it takes as long and gives false, so a caller cannot tell who exists. */
  verify(stored: string | undefined, password: string): Promise<boolean>
}

export interface Passwords {
  /**
   * Runs `work` when its turn to hash comes. What has to hold at the moment of hashing is looked up inside.
   * Throws Refusal too_many when too many wait.
   */
  inTurn<T>(work: (hasher: Hasher) => Promise<T>): Promise<T>
}

/** Makes the queue that all hashing of this node goes through. */
export function createPasswords(): Passwords {
  const waiting: (() => void)[] = []
  let running = 0
  let decoy: Promise<string> | undefined
  const hasher: Hasher = {
    hash: (password) => hash(password, cost),
    async verify(stored, password) {
      if (stored !== undefined) return verify(stored, password)
      await verify(await (decoy ??= hash(randomBytes(16), cost)), password)
      return false
    },
  }
  return {
    async inTurn(work) {
      if (waiting.length >= waitingMax)
        throw new Refusal('too_many', 'Too many people are signing in. Try again in a few seconds.', {
          retryAfterSeconds: 5,
        })
      if (running >= parallelMax) await new Promise<void>((resolve) => waiting.push(resolve))
      else running += 1
      try {
        return await work(hasher)
      } finally {
        // The place is handed to the next one directly, so nobody can slip in between.
        const next = waiting.shift()
        if (next === undefined) running -= 1
        else next()
      }
    },
  }
}
