// The waiting callers of a queue, in the order in which they get their turns.
import { KeyCounts } from './key-counts.ts'

export interface Waiter {
  readonly key: string
  readonly subkey: string
  readonly rank: number
  begin(end: () => void): void
  refuse(error: Error): void
}

/** By key, then by subkey. The order of a map's entries is the rotation: who was served goes to its end. */
type Waiters = Map<string, Map<string, Waiter[]>>

export class FairOrder {
  /** By rank. */
  readonly #ranks: Waiters[] = []
  readonly #counts = new KeyCounts()

  get count(): number {
    return this.#counts.total
  }

  countOf(key: string): number {
    return this.#counts.of(key)
  }

  add(waiter: Waiter): void {
    const { rank, key, subkey } = waiter
    while (this.#ranks.length <= rank) this.#ranks.push(new Map())
    const keys = this.#ranks[rank] ?? new Map()
    const subkeys = keys.get(key) ?? new Map<string, Waiter[]>()
    const line = subkeys.get(subkey) ?? []
    line.push(waiter)
    subkeys.set(subkey, line)
    keys.set(key, subkeys)
    this.#counts.add(key, 1)
  }

  /** Takes who may begin: of the keys below the limit, one with the fewest running turns in the lowest rank. */
  takeNext(running: KeyCounts, runningMaxOfKey: number): Waiter | undefined {
    if (this.count === 0) return undefined
    for (const keys of this.#ranks) {
      let fewest: string | undefined
      for (const key of keys.keys()) {
        if (running.of(key) >= runningMaxOfKey) continue
        if (fewest === undefined || running.of(key) < running.of(fewest)) fewest = key
        if (running.of(fewest) === 0) break
      }
      const subkeys = fewest === undefined ? undefined : keys.get(fewest)
      const [line] = subkeys?.values() ?? []
      const [next] = line ?? []
      if (fewest === undefined || subkeys === undefined || next === undefined) continue
      this.remove(next)
      toEnd(subkeys, next.subkey)
      toEnd(keys, next.key)
      return next
    }
    return undefined
  }

  /** Takes the newest of the key that has the most, from its highest rank; nothing unless it has more than `count`. */
  takeNewestOfCrowd(count: number): Waiter | undefined {
    const crowd = this.#counts.highest()
    if (crowd === undefined || this.countOf(crowd) <= count) return undefined
    for (const keys of this.#ranks.toReversed()) {
      const [longest] = [...(keys.get(crowd)?.values() ?? [])].toSorted((a, b) => b.length - a.length)
      const newest = longest?.at(-1)
      if (newest === undefined) continue
      this.remove(newest)
      return newest
    }
    return undefined
  }

  remove(waiter: Waiter): void {
    const { rank, key, subkey } = waiter
    const keys = this.#ranks[rank]
    const subkeys = keys?.get(key)
    const line = subkeys?.get(subkey)
    const at = line?.indexOf(waiter) ?? -1
    if (keys === undefined || subkeys === undefined || line === undefined || at < 0) return
    line.splice(at, 1)
    this.#counts.add(key, -1)
    if (line.length === 0) subkeys.delete(subkey)
    if (subkeys.size === 0) keys.delete(key)
  }
}

function toEnd<T>(map: Map<string, T>, key: string): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}
