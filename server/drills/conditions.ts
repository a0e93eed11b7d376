// Waiting for what a drill depends on: never for a time alone, and never for ever.
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 60_000

/** Waits until it is so; throws with what was waited for, and how things stand, when that takes longer than a minute. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  describe: () => string = () => '',
): Promise<void> {
  const endsAtMs = performance.now() + patienceMs
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`Waited a minute for: ${what}. ${describe()}`)
    await sleep(5)
  }
}
