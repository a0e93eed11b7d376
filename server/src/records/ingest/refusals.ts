// Counts refused messages in memory and adds them to the table of the day: none is dropped silently.
import type { IngestMessage } from './message.ts'
import type { RefusalCount } from './store.ts'

// A peer that tries many numbers must fill neither the memory nor the table.
const keysMax = 2_000
/** The name under which all further numbers are counted. */
const otherNumbers = 'other'

/** What is counted of a refused message: its destination, if known, and where it came from. */
export type RefusedMessage = Pick<IngestMessage, 'digits' | 'gatewayId'>

interface CountedRefusal {
  readonly reason: string
  readonly number: string
  readonly gatewayId: number
  count: number
  lastAtMs: number
}

export class Refusals {
  #counted = new Map<string, CountedRefusal>()

  add({ digits, gatewayId }: RefusedMessage, reason: string, nowMs: number): void {
    let number = digits.slice(0, 20)
    let key = `${reason} ${gatewayId} ${number}`
    if (this.#counted.size >= keysMax && !this.#counted.has(key)) {
      number = otherNumbers
      key = `${reason} ${gatewayId} ${number}`
    }
    const counted = this.#counted.get(key)
    if (counted === undefined)
      this.#counted.set(key, { reason, number, gatewayId, count: 1, lastAtMs: nowMs })
    else {
      counted.count += 1
      counted.lastAtMs = nowMs
    }
  }

  /**
   * Saves what was counted since the last call. When `save` fails, the counts are kept for the next call and its error is
   * thrown.
   */
  async flush(
    namesOf: (ids: readonly number[]) => Promise<Map<number, string>>,
    save: (counts: RefusalCount[]) => Promise<void>,
  ): Promise<void> {
    if (this.#counted.size === 0) return
    const taken = this.#counted
    this.#counted = new Map()
    try {
      const names = await namesOf([...new Set([...taken.values()].map(({ gatewayId }) => gatewayId))])
      await save(
        [...taken.values()].map(({ reason, number, gatewayId, count, lastAtMs }) => ({
          reason,
          number,
          gateway: names.get(gatewayId) ?? '',
          count,
          lastAt: new Date(lastAtMs),
        })),
      )
    } catch (error) {
      for (const [key, counted] of taken) {
        const since = this.#counted.get(key)
        if (since === undefined) this.#counted.set(key, counted)
        else since.count += counted.count
      }
      throw error
    }
  }
}
