/** A fixed number of places; whoever finds none waits in line. */
export class Places {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(count: number) {
    this.#free = count
  }

  /** Resolves with what gives the place back. Rejects when the signal ends the wait. */
  take(signal: AbortSignal): Promise<() => void> {
    return new Promise((resolve, reject) => {
      const abandon = () => {
        const place = this.#waiting.indexOf(enter)
        if (place !== -1) this.#waiting.splice(place, 1)
        reject(new Error('The wait for a place was ended'))
      }
      const enter = () => {
        signal.removeEventListener('abort', abandon)
        let isGivenBack = false
        resolve(() => {
          if (!isGivenBack) this.#giveBack()
          isGivenBack = true
        })
      }
      if (signal.aborted) abandon()
      else if (this.#free > 0) {
        this.#free -= 1
        enter()
      } else {
        this.#waiting.push(enter)
        signal.addEventListener('abort', abandon, { once: true })
      }
    })
  }

  #giveBack(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}
