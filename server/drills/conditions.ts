// Waiting for a condition, with a time limit.
import { setTimeout as sleep } from 'node:timers/promises'

const patienceMinutes = 3

/** Polls until the condition holds; throws after `minutes`, naming what it waited for and the state from `describe`. */
export async function until(
  what: string,
  isSo: () => boolean | Promise<boolean>,
  describe: () => string = () => '',
  minutes = patienceMinutes,
): Promise<void> {
  const endsAtMs = performance.now() + minutes * 60_000
  while (!(await isSo())) {
    if (performance.now() > endsAtMs) throw new Error(`Waited ${minutes} min for: ${what}. ${describe()}`)
    await sleep(5)
  }
}
