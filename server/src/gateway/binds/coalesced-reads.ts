// Reads what a bind needs from the database, a few at a time: messages need the same pool, and a storm of binds must not
// stand before them.
const runningMax = 4

export class LookUps {
  /** Asked for and not begun: whoever asks for the same meanwhile gets the same answer, which is as fresh. */
  readonly #waiting = new Map<string, Promise<unknown>>()
  readonly #turns: (() => void)[] = []
  #freeCount = runningMax

  /** Gives what `read` gives. `key` names what is asked for. */
  get<T>(key: string, read: () => Promise<T>): Promise<T> {
    const asked = this.#waiting.get(key) as Promise<T> | undefined
    if (asked !== undefined) return asked
    const answer = this.#inTurn(() => {
      this.#waiting.delete(key)
      return read()
    })
    this.#waiting.set(key, answer)
    return answer
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.#freeCount > 0) {
      this.#freeCount -= 1
      // What else comes in this turn of the event loop may ask for the same.
      await new Promise((resolve) => setImmediate(resolve))
    } else await new Promise<void>((resolve) => this.#turns.push(resolve))
    try {
      return await work()
    } finally {
      // The turn is handed to the next one directly, so that nobody slips in between.
      const next = this.#turns.shift()
      if (next === undefined) this.#freeCount += 1
      else next()
    }
  }
}
