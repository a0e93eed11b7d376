// Repeatable random choices: the same seed gives the same sequence.
import { seededRandom } from '../src/programs/demo/seeded-random.ts'

export interface Random {
  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number
  /** A whole number from `min` to `max`, both included. */
  between(min: number, max: number): number
  /** True with this probability, 0 to 1. */
  chance(share: number): boolean
  pick<T>(list: readonly T[]): T
  bytes(count: number): Buffer
}

/** All values come from one sequence. */
export function seededChoices(seed: number): Random {
  const next = seededRandom(seed)
  const below = (limit: number) => Math.floor(next() * limit)
  return {
    below,
    between: (min, max) => min + below(max - min + 1),
    chance: (share) => next() < share,
    pick<T>(list: readonly T[]) {
      if (list.length === 0) throw new Error('There is nothing to pick from')
      return list[below(list.length)] as T
    },
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => below(256))),
  }
}
