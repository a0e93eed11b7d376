// Counts refused messages in memory and adds them to the day's table now and then: never a silent drop.
import type { IngestMessage } from './message.ts'
import type { RefusalCount } from './store.ts'

// A peer that tries number after number must not fill the memory or the table.
const keysMax = 2_000
/** Stands for all numbers beyond that. */
const otherNumbers = 'other'

/** What of a refused message is counted: its destination as far as it is known, and who sent it. */
export type RefusedMessage = Pick<IngestMessage, 'digits' | 'gatewayId'>

interface Counted {
  readonly reason: string
  readonly number: string
  readonly gatewayId: number
  count: number
  lastAtMs: number
}

export class Refusals {
  #counted = new Map<string, Counted>()

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
   * Hands over what was counted since the last time. What `save` cannot take is kept for the next time; it throws on.
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
