/** A count for each key, and their sum. A key without any takes no memory. */
export class KeyCounts {
  readonly #counts = new Map<string, number>()
  total = 0

  of(key: string): number {
    return this.#counts.get(key) ?? 0
  }

  add(key: string, change: 1 | -1): void {
    this.total += change
    const count = this.of(key) + change
    if (count === 0) this.#counts.delete(key)
    else this.#counts.set(key, count)
  }

  /** The key with the highest count. */
  highest(): string | undefined {
    let found: string | undefined
    for (const key of this.#counts.keys())
      if (found === undefined || this.of(key) > this.of(found)) found = key
    return found
  }
}
