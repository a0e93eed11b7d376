// How often a caller who has not signed in may call.
import { setTimeout as sleep } from 'node:timers/promises'
import { callLimit } from './call-limit.ts'

// Several people may share an address, and nobody has signed in yet.
const callsPerSecond = 300
const pauseMs = 1_000
// Each waiting call holds its connection and some kilobytes.
const pausesPerAddress = 64

/**
 * Throws Refusal too_many beyond the limit, a second late: whoever asks again as soon as there is an answer would otherwise
 * keep a core busy with being refused. With 64 calls that wait, an address is refused at once.
 */
export function anonymousCalls(): (address: string) => Promise<void> {
  const limit = callLimit(callsPerSecond)
  const pausing = new Map<string, number>()
  return async (address) => {
    try {
      limit(address)
    } catch (refusal) {
      const count = pausing.get(address) ?? 0
      if (count < pausesPerAddress) {
        pausing.set(address, count + 1)
        await sleep(pauseMs)
        const left = (pausing.get(address) ?? 1) - 1
        if (left === 0) pausing.delete(address)
        else pausing.set(address, left)
      }
      throw refusal
    }
  }
}
