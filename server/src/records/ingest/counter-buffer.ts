// Sums up a batch by all dimensions of the counters. Each message costs one hash and a few array reads.

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
  // A hash table with open addressing: the group's row + 1, or 0 if free. It has twice as many slots as a batch can have
  // messages, so it never fills up.
  readonly #slots = new Int32Array(8192)
  readonly #used: number[] = []

  clear(): void {
    for (const slot of this.#used) this.#slots[slot] = 0
    this.#used.length = 0
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
    let slot = slotOf(hour, client, range, gateway, kind)
    for (;;) {
      const row = (this.#slots[slot] ?? 0) - 1
      if (row < 0) break
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
      slot = (slot + 1) & 8191
    }
    const row = this.count
    this.count += 1
    this.#slots[slot] = row + 1
    this.#used.push(slot)
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

function slotOf(hour: number, client: number, range: number, gateway: number, kind: number): number {
  let mixed = Math.imul(client, 0x9e3779b1) ^ Math.imul(range, 0x85ebca6b) ^ Math.imul(gateway, 0xc2b2ae35)
  mixed ^= Math.imul(hour, 0x27d4eb2f) ^ Math.imul(kind, 0x165667b1)
  return (mixed ^ (mixed >>> 15)) & 8191
}
