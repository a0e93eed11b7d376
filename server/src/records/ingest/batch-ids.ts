// Batch ids in memory, a block ahead: a batch must not wait for a sequence.

const blockSize = 200

export class BatchIds {
  readonly #fetch: (count: number) => Promise<number[]>
  readonly #ids: number[] = []
  #filling: Promise<void> | undefined

  constructor(fetch: (count: number) => Promise<number[]>) {
    this.#fetch = fetch
  }

  /** An id that was never given before. Waits only at the start and after a fault; throws the database's error. */
  async take(): Promise<number> {
    for (;;) {
      const id = this.tryTake()
      if (id !== undefined) return id
      await this.#fill()
    }
  }

  /** The same without waiting; undefined when the block is used up. */
  tryTake(): number | undefined {
    // A failed look ahead is repeated by whoever finds the block empty, and that one reports it.
    if (this.#ids.length < blockSize / 2) this.#fill().catch(() => undefined)
    return this.#ids.shift()
  }

  #fill(): Promise<void> {
    this.#filling ??= this.#fetch(blockSize)
      .then((ids) => {
        this.#ids.push(...ids)
      })
      .finally(() => (this.#filling = undefined))
    return this.#filling
  }
}
