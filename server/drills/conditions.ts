// Waiting for what a drill depends on: never for a time alone, and never for ever.
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 60_000

/** Waits until it is so; throws with what was waited for when that takes longer than a minute. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  const endsAtMs = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`Waited in vain: ${what}`)
    await sleep(5)
  }
}
