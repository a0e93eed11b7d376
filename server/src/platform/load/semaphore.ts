/** Lets a fixed number of callers in at a time; the others wait in line. */
export class Semaphore {
  #freeCount: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#freeCount = count
  }

  /** Resolves with a function that releases the slot. Rejects when the signal, if any, ends the wait. */
  acquire(signal?: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abandon = () => {
        const index = this.#waiting.indexOf(enter)
        if (index !== -1) this.#waiting.splice(index, 1)
        reject(new Error('The wait for a slot was ended'))
      }
      const enter = () => {
        signal?.removeEventListener('abort', abandon)
        let isReleased = false
        resolve(() => {
          if (!isReleased) this.#release()
          isReleased = true
        })
      }
      if (signal?.aborted === true) abandon()
      else if (this.#freeCount > 0) {
        this.#freeCount -= 1
        enter()
      } else {
        this.#waiting.push(enter)
        signal?.addEventListener('abort', abandon, { once: true })
      }
    })
  }

  #release(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#freeCount += 1
    else next()
  }
}
