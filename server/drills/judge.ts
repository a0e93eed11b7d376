// The end of each drill: sending stops, messages in flight get their responses, and the checker decides.
import { checkAll, verdictOf, type CheckResult, type DatabaseAddress, type PeriodicCheck } from './checker.ts'
import type { DrillRun, DrillOptions } from './define.ts'
import type { Suppliers } from './suppliers.ts'

const drainMs = 15_000

export interface Judgement {
  readonly isPassed: boolean
  /** Acknowledged, stored, lost, doubled, misbilled; then held, and the number of money checks. */
  readonly figures: readonly string[]
  readonly found: CheckResult
}

/** Compares everything acknowledged with everything stored, and prints each breach. */
export async function judge(
  { note }: Pick<DrillRun<DrillOptions>, 'note'>,
  address: DatabaseAddress,
  suppliers: Suppliers,
  periodic: PeriodicCheck,
): Promise<Judgement> {
  suppliers.pause()
  const left = await suppliers.drain(drainMs)
  await periodic.stop()
  await suppliers.stop()
  const found = await checkAll(address, [suppliers.journal])
  const { isPassed, breaches, figures } = verdictOf(found, periodic)
  for (const breach of breaches) note(breach)
  if (left > 0) note(`${left} messages never got an answer`)
  return {
    isPassed: isPassed && left === 0,
    figures: [
      ...figures(suppliers.acknowledged),
      `held ${found.held}`,
      `money checked ${periodic.looks + 1} times`,
    ],
    found,
  }
}
