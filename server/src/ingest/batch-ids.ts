// Batch ids in memory, fetched in advance, so that no batch waits for a sequence.

const fetchCount = 200

export class BatchIds {
  readonly #fetch: (count: number) => Promise<number[]>
  readonly #ids: number[] = []
  #filling: Promise<void> | undefined

  constructor(fetch: (count: number) => Promise<number[]>) {
    this.#fetch = fetch
  }

  /** An id that was never used. Waits only at the start and after a fault; throws the database's error. */
  async take(): Promise<number> {
    for (;;) {
      const id = this.tryTake()
      if (id !== undefined) return id
      await this.#fill()
    }
  }

  /** The same without waiting; undefined when the block is used up. */
  tryTake(): number | undefined {
    // After a failure the call that finds no id left fetches again and reports the error.
    if (this.#ids.length < fetchCount / 2) this.#fill().catch(() => undefined)
    return this.#ids.shift()
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#fetch(fetchCount)
      .then((ids) => {
        this.#ids.push(...ids)
      })
      .finally(() => (this.#filling = undefined))
    return this.#filling
  }
}
