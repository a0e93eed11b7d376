// Hashing of passwords. Each hash takes 19 MiB and some 40 ms of a core, so only a few run at a time.
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { FairTurns, type Place } from './fair-turns.ts'

// OWASP ASVS 5.0, 11.4.2: argon2id (the library's default kind) with 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const limits = {
  // More at once would take the cores from messages and from everybody who is already signed in.
  parallelMax: Math.min(2, Math.max(1, availableParallelism() - 1)),
  // Beyond it a caller would wait some ten seconds and give up anyway.
  waitingMax: 500,
  // A company's morning behind one address; a flood from there waits for itself.
  waitingMaxOfNetwork: 64,
}
// Of calls from this machine itself, and of who is signed in.
const ownPlace: Place = { rank: 'known', network: '', account: '' }

export interface Hasher {
  hash(password: string): Promise<string>
  /** Compares with a hash; without one it takes as long and gives false, so a caller cannot tell who exists. */
  verify(stored: string | undefined, password: string): Promise<boolean>
}

export interface Passwords {
  /**
   * Runs `work` when its turn to hash comes. What has to hold at the moment of hashing is looked up inside. `place` says
   * among whom it waits; without one it is somebody's who is signed in. Throws Refusal too_many when too many wait.
   */
  inTurn<T>(work: (hasher: Hasher) => Promise<T>, place?: Place): Promise<T>
}

/** Makes the queue that all hashing of this node goes through. */
export function createPasswords(): Passwords {
  const turns = new FairTurns(limits)
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
    async inTurn(work, place = ownPlace) {
      await turns.begin(place)
      try {
        return await work(hasher)
      } finally {
        turns.end()
      }
    },
  }
}
