// Waiting for a condition, with a time limit.
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 60_000

/** Polls until the condition holds; throws after a minute, naming what it waited for and the state from `describe`. */
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
