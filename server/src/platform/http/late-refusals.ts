// Delays refusals of the kind too_many by a second: a caller that repeats its call at each response would otherwise
// keep a core busy with refusals.
import { setTimeout as sleep } from 'node:timers/promises'
import { Refusal } from '@tollgate/contract/errors.ts'

const pauseMs = 1_000
// Each waiting call holds its connection and some kilobytes.
const pausesPerSubject = 64

/** The result of `attempt`; a Refusal too_many a second later, or at once when 64 of the subject's are waiting. */
export type LateRefusals = <T>(subject: string, attempt: () => T | Promise<T>) => Promise<T>

export function lateRefusals(): LateRefusals {
  const pausing = new Map<string, number>()
  const pause = async (subject: string) => {
    const count = pausing.get(subject) ?? 0
    if (count >= pausesPerSubject) return
    pausing.set(subject, count + 1)
    await sleep(pauseMs)
    const left = (pausing.get(subject) ?? 1) - 1
    if (left === 0) pausing.delete(subject)
    else pausing.set(subject, left)
  }
  return async (subject, attempt) => {
    try {
      return await attempt()
    } catch (error) {
      if (error instanceof Refusal && error.code === 'too_many') await pause(subject)
      throw error
    }
  }
}
