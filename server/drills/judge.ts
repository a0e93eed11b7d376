// The end of each drill: sending stops, messages in flight get their responses, and the checker decides.
import { checkAll, StandingCheck, verdictOf, type Address, type Findings } from './checker.ts'
import type { DrillRun, Options } from './define.ts'
import type { Senders } from './senders.ts'

const drainMs = 15_000

/** Starts periodic checks, which end with the drill. */
export function startStandingCheck(
  { onEnd }: Pick<DrillRun<Options>, 'onEnd'>,
  address: () => Promise<Address | undefined>,
  everyMs = 3_000,
): StandingCheck {
  const standing = new StandingCheck(address)
  standing.start(everyMs)
  onEnd(() => standing.stop())
  return standing
}

export interface Judged {
  readonly isPassed: boolean
  /** Acknowledged, stored, lost, doubled, misbilled; then held, and the number of money checks. */
  readonly figures: readonly string[]
  readonly found: Findings
}

/** Compares everything acknowledged with everything stored, and prints each breach. */
export async function judge(
  { note }: Pick<DrillRun<Options>, 'note'>,
  address: Address,
  senders: Senders,
  standing: StandingCheck,
): Promise<Judged> {
  senders.pause()
  const left = await senders.drain(drainMs)
  await standing.stop()
  await senders.stop()
  const found = await checkAll(address, [senders.journal])
  const { isPassed, breaches, figures } = verdictOf(found, standing)
  for (const breach of breaches) note(breach)
  if (left > 0) note(`${left} messages never got an answer`)
  return {
    isPassed: isPassed && left === 0,
    figures: [
      ...figures(senders.acknowledged),
      `held ${found.held}`,
      `money checked ${standing.looks + 1} times`,
    ],
    found,
  }
}
