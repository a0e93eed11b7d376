// What holds need of bills and payouts, which slices above this one have.
import type { Db } from '../../platform/db.ts'

/** The bill or the payout that messages of one client, cycle and number are in. */
export interface BilledPart {
  readonly cycleId: number
  readonly userId: number
  readonly settlement: number
  /** Of a payout. */
  readonly numberId: number
}

export interface BilledDebts {
  /**
   * Locks the bill or payout; gives how much can be taken off it: 0 when it is paid, void, exported, or a payment is under
   * way. `wait`: somebody else must first agree to an amendment of it.
   */
  dueOf(tx: Db, part: BilledPart, caseId: string): Promise<bigint | 'wait'>
  /** Takes an amount off, from billed to held; see dueOf. */
  takeOff(
    tx: Db,
    part: BilledPart,
    off: { readonly caseId: string; readonly amountMicro: bigint; readonly reason: string },
  ): Promise<void>
  /** All messages of the case are held: its credit notes are complete. */
  finish(tx: Db, caseId: string): Promise<void>
}
