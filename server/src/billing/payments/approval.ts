// The rule of the second person.
import type { Db } from '../../platform/db.ts'
import type { BillingDeps } from '../deps.ts'

/** An act on money. */
interface MoneyAct {
  /** Whom the money is for. */
  readonly userId: number
  readonly amountMicro: bigint
  readonly actorId: number
}

/** Whether somebody else must agree to an act before it counts. Every act on money asks here. */
export async function needsSecondPerson(
  tx: Db,
  { settings }: Pick<BillingDeps, 'settings'>,
  { amountMicro }: MoneyAct,
): Promise<boolean> {
  return amountMicro > (await settings.secondPersonAboveMicro.get(tx))
}
