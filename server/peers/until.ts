import { setTimeout as sleep } from 'node:timers/promises'

const patienceMs = 15_000

/** Waits until the condition holds. Without a complaint it gives up silently: what is missing shows in the comparison. */
export async function until(holds: () => boolean | Promise<boolean>, complaint?: string): Promise<void> {
  const endsAtMs = performance.now() + patienceMs
  while (!(await holds())) {
    if (performance.now() < endsAtMs) await sleep(50)
    else if (complaint === undefined) return
    else throw new Error(`${complaint} within ${patienceMs / 1_000} s.`)
  }
}
