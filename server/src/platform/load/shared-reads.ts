// Reads that many callers want at once: whoever comes while one runs shares the next. So all of them together take one
// connection, and nobody gets an answer from before the question.

interface Shared<T> {
  readonly running: Promise<unknown>
  next: Promise<T> | undefined
}

/** The reads of one kind, each known by a key. */
export class SharedReads<T> {
  readonly #reads = new Map<string, Shared<T>>()

  /** Reads at once, or together with all who ask for this key while an earlier read of it runs. Rejects as `read` does. */
  async run(key: string, read: () => Promise<T>): Promise<T> {
    const earlier = this.#reads.get(key)
    if (earlier === undefined) return this.#start(key, read)
    return (earlier.next ??= earlier.running.then(() => this.#start(key, read)))
  }

  #start(key: string, read: () => Promise<T>): Promise<T> {
    const result = read()
    const running = result.then(
      () => undefined,
      () => undefined,
    )
    const shared: Shared<T> = { running, next: undefined }
    this.#reads.set(key, shared)
    void running.then(() => {
      if (shared.next === undefined) this.#reads.delete(key)
    })
    return result
  }
}
