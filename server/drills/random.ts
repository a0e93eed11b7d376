// Repeatable random numbers: the same seed gives the same sequence.

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

/** Mulberry32: 32 bits of state. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
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
