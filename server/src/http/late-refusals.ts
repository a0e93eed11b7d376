// Delays refusals of the kind too_many by a second: a caller that repeats its call at each response would otherwise
// keep a core busy with refusals.
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'
import { FairQueue } from '../platform/load/fair-queue.ts'

const pauseMs = 1_000
// Each waiting call holds its connection and some kilobytes.
const pausesPerSubject = 64

/** The result of `attempt`; a Refusal too_many a second later, or at once when 64 of the subject's are waiting. */
export type LateRefusals = <T>(subject: string, attempt: () => T | Promise<T>) => Promise<T>

export function lateRefusals(): LateRefusals {
  const pauses = new FairQueue({ runningMaxOfKey: pausesPerSubject })
  return async (subject, attempt) => {
    try {
      return await attempt()
    } catch (error) {
      const end = error instanceof Refusal && error.code === 'too_many' && pauses.tryEnter(subject)
      if (end) await sleep(pauseMs).finally(end)
      throw error
    }
  }
}
