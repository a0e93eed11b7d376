// Sums up a batch by all dimensions of the counters. Each message costs one hash and a few array reads.
import { IntegerMap } from '../platform/integer-map.ts'

/** The groups so far are rows 0 to `count - 1` of these columns. */
export class CounterBuffer {
  count = 0
  readonly hours: number[] = []
  readonly clients: number[] = []
  readonly ranges: number[] = []
  readonly gateways: number[] = []
  /** Settlement * 8 + status. */
  readonly kinds: number[] = []
  readonly recordCounts: number[] = []
  readonly bills: number[] = []
  readonly amounts: number[] = []
  /** The row of the last group with this hash; the row before it is in `#earlier`, -1 if there is none. */
  readonly #rowOfHash = new IntegerMap(1)
  readonly #hashes: number[] = []
  readonly #earlier: number[] = []

  clear(): void {
    for (let row = 0; row < this.count; row += 1) this.#rowOfHash.delete(this.#hashes[row] ?? 0)
    this.count = 0
  }

  /** Adds one record. `hour` counts hours since 1970; client or range 0 means none. Amounts are millionths. */
  add(
    hour: number,
    client: number,
    range: number,
    gateway: number,
    kind: number,
    billMicro: number,
    amountMicro: number,
  ): void {
    const hash = hashOf(hour, client, range, gateway, kind)
    const last = this.#rowOfHash.get(hash) ?? -1
    for (let row = last; row >= 0; row = this.#earlier[row] ?? -1) {
      if (
        this.hours[row] === hour &&
        this.clients[row] === client &&
        this.ranges[row] === range &&
        this.gateways[row] === gateway &&
        this.kinds[row] === kind
      ) {
        this.recordCounts[row] = (this.recordCounts[row] ?? 0) + 1
        this.bills[row] = (this.bills[row] ?? 0) + billMicro
        this.amounts[row] = (this.amounts[row] ?? 0) + amountMicro
        return
      }
    }
    const row = this.count
    this.count += 1
    this.#rowOfHash.set(hash, row)
    this.#hashes[row] = hash
    this.#earlier[row] = last
    this.hours[row] = hour
    this.clients[row] = client
    this.ranges[row] = range
    this.gateways[row] = gateway
    this.kinds[row] = kind
    this.recordCounts[row] = 1
    this.bills[row] = billMicro
    this.amounts[row] = amountMicro
  }
}

/** From 1 to 2^30 - 1: a key of the map, and a number that V8 keeps without allocating. */
function hashOf(hour: number, client: number, range: number, gateway: number, kind: number): number {
  let mixed = Math.imul(client, 0x9e3779b1) ^ Math.imul(range, 0x85ebca6b) ^ Math.imul(gateway, 0xc2b2ae35)
  mixed ^= Math.imul(hour, 0x27d4eb2f) ^ Math.imul(kind, 0x165667b1)
  return (mixed ^ (mixed >>> 15)) & 0x3fffffff || 1
}
