// What the money of a record tells: its cycle, rate, settlement and hold. The tests behind the links from a figure of a
// bill to exactly its messages.
import { sql } from 'kysely'
import type { holdFilters, settlements } from '@tollgate/contract/vocabulary.ts'
import { recordFlags } from '../ingest/message.ts'
import type { SqlFragment } from './condition.ts'

/** A record must match every field; an absent field does not restrict. */
export interface Settling {
  readonly cycleId?: number | undefined
  /** Whether {@link cycleId} is closed. Then a hold means: as it was when the cycle closed. */
  readonly isClosed?: boolean
  readonly settlement?: number | undefined
  readonly rateId?: number | undefined
  /** What the record earns. */
  readonly amountMicro?: bigint | undefined
  readonly hold?: (typeof holdFilters)[number] | undefined
  /** Received before its cycle began. */
  readonly isLate?: boolean | undefined
  /** Nobody held the number. */
  readonly isUnowned?: boolean | undefined
}

export type SettlementWord = (typeof settlements)[number]

/** SQL tests on records `r`. */
export function settlingTests(settling: Settling | undefined): SqlFragment[] {
  if (settling === undefined) return []
  const { cycleId, settlement, rateId, amountMicro, isLate, isUnowned } = settling
  return [
    ...(cycleId === undefined ? [] : [sql`r.cycle_id = ${cycleId}`]),
    ...(settlement === undefined ? [] : [sql`r.settlement = ${settlement}`]),
    ...(rateId === undefined ? [] : [sql`r.rate_id = ${rateId}`]),
    ...(amountMicro === undefined ? [] : [sql`r.amount_micro = ${amountMicro} and r.client_id is not null`]),
    ...(isLate === undefined ? [] : [sql`(r.flags & ${recordFlags.late} <> 0) = ${isLate}`]),
    ...(isUnowned === true ? [sql`r.client_id is null`] : []),
    ...holdTests(settling),
  ]
}

const isRefused = sql`exists (select from hold_records p join holds h on h.id = p.hold_id
  where p.record_id = r.id and h.status = 'confirmed')`

function holdTests({ hold, cycleId, isClosed }: Settling): SqlFragment[] {
  if (hold === undefined) return []
  if (hold === 'refused') return [sql`r.is_held and ${isRefused}`]
  if (cycleId !== undefined && isClosed === true) {
    const wasHeld = sql`exists (select from cycle_held_records k where k.cycle_id = ${cycleId} and k.record_id = r.id)`
    return [hold === 'held' ? wasHeld : sql`not ${wasHeld}`]
  }
  return [hold === 'held' ? sql`r.is_held and not ${isRefused}` : sql`not r.is_held`]
}
