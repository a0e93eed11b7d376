// Hashing of passwords. Each hash takes 19 MiB and about 40 ms of a core, so only a few run at a time.
import { randomBytes } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import { Refusal } from '@tollgate/contract/errors.ts'
import { FairQueue } from '../../platform/load/fair-queue.ts'

// OWASP ASVS 5.0, 11.4.2: argon2id (the library's default kind) with 19 MiB, two passes, one lane.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
// More at once would take the cores from the traffic and from people who are signed in.
const runningMax = Math.min(2, Math.max(1, availableParallelism() - 1))
const limits = {
  runningMax,
  // With more than 500 waiting, a caller would wait about ten seconds and give up anyway.
  totalMax: runningMax + 500,
  // Enough for a company behind one address in the morning; an attack from there delays only itself.
  waitingMaxOfKey: 64,
  hasDisplacement: true,
}
/** In the order of service: known devices and sessions, then sign-ins, then sign-ups. */
const ranks = { known: 0, signIn: 1, signUp: 2 } as const

/** A place in the queue: in each rank the networks take turns, and the accounts of each network. */
export interface HashTurn {
  readonly rank: keyof typeof ranks
  readonly network: string
  readonly account: string
}

// The turn of calls from this machine, and of people who are signed in.
const ownTurn: HashTurn = { rank: 'known', network: '', account: '' }

interface Hasher {
  hash(password: string): Promise<string>
  /** Compares with a hash. Without a hash it takes as long and returns false, so that nobody learns which accounts exist. */
  verify(stored: string | undefined, password: string): Promise<boolean>
}

export interface Passwords {
  /**
   * Runs `work` when its turn to hash comes. Conditions that must hold at that moment are checked inside `work`. `turn`
   * is its place in the queue; defaults to that of people who are signed in. Throws Refusal too_many when too many wait.
   */
  inTurn<T>(work: (hasher: Hasher) => Promise<T>, turn?: HashTurn): Promise<T>
}

/** Makes the queue for all hashing of this node. */
export function createPasswords(): Passwords {
  const queue = new FairQueue(limits, tooMany)
  let decoy: Promise<string> | undefined
  const hasher: Hasher = {
    // NIST SP 800-63B and RFC 8265: keyboards write an accented letter as one character or as two.
    hash: (password) => hash(password.normalize('NFC'), cost),
    async verify(stored, password) {
      const known = stored ?? (await (decoy ??= hash(randomBytes(16), cost)))
      const composed = password.normalize('NFC')
      const isRight =
        (await verify(known, composed)) || (composed !== password && (await verify(known, password)))
      return isRight && stored !== undefined
    },
  }
  return {
    inTurn: (work, { rank, network, account } = ownTurn) =>
      queue.run(() => work(hasher), { rank: ranks[rank], key: network, subkey: account }),
  }
}

function tooMany(): Refusal {
  return new Refusal('too_many', 'Too many people are signing in. Try again in a few seconds.', {
    retryAfterSeconds: 2,
  })
}
