// A set of sequence numbers. A built-in Set allocates a new table after every few dozen changes, which would be most of
// the garbage of a busy session.

const startSlots = 64
// No sequence number, since those have 32 bits.
const empty = -1

/** Holds numbers of 32 bits, each once (§5.1.4). */
export class SequenceSet {
  // Open addressing with linear probing; at most half of the slots are taken.
  #slots = new Float64Array(startSlots).fill(empty)
  size = 0

  /** False when it was there already. */
  add(sequence: number): boolean {
    const slot = this.#slotOf(sequence)
    if (this.#slots[slot] === sequence) return false
    this.#slots[slot] = sequence
    this.size += 1
    if (this.size * 2 > this.#slots.length) this.#grow()
    return true
  }

  has(sequence: number): boolean {
    return this.size > 0 && this.#slots[this.#slotOf(sequence)] === sequence
  }

  delete(sequence: number): void {
    if (this.size === 0) return
    const slots = this.#slots
    let gap = this.#slotOf(sequence)
    if (slots[gap] !== sequence) return
    this.size -= 1
    const mask = slots.length - 1
    // What was pushed past this slot moves up, so that a search may go on sessionEnd at the first gap.
    for (let next = (gap + 1) & mask; ; next = (next + 1) & mask) {
      const moved = slots[next] ?? empty
      if (moved === empty) break
      if (((next - moved) & mask) < ((next - gap) & mask)) continue
      slots[gap] = moved
      gap = next
    }
    slots[gap] = empty
  }

  /** The slot of the number, or the free slot for it. Peers count upwards, so the low bits are the best hash. */
  #slotOf(sequence: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    let slot = sequence & mask
    for (;;) {
      const found = slots[slot]
      if (found === sequence || found === empty) return slot
      slot = (slot + 1) & mask
    }
  }

  #grow(): void {
    const before = this.#slots
    this.#slots = new Float64Array(before.length * 2).fill(empty)
    for (const sequence of before) if (sequence !== empty) this.#slots[this.#slotOf(sequence)] = sequence
  }
}
