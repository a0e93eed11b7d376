// What the money of a record tells: its cycle, rate, settlement and hold. The predicates behind the links from a figure
// of a bill to exactly its messages.
import { sql, type RawBuilder } from 'kysely'
import { recordFlags } from '../../ingest/index.ts'

/** A record must match every field; an absent field does not restrict. */
export interface Settling {
  readonly cycleId?: number | undefined
  readonly settlement?: number | undefined
  readonly rateId?: number | undefined
  /** What the record earns. */
  readonly amountMicro?: bigint | undefined
  /** Whether the record is held now. */
  readonly isHeld?: boolean | undefined
  /** Only these records, by id; none when it is empty. */
  readonly onlyIds?: readonly string[] | undefined
  /** Only records whose ids this query gives, or all but those. */
  readonly within?: RawBuilder<unknown> | undefined
  readonly without?: RawBuilder<unknown> | undefined
  /** Received before its cycle began. */
  readonly isLate?: boolean | undefined
}

/** SQL predicates on records `r`. */
export function settlingPredicates(settling: Settling | undefined): RawBuilder<unknown>[] {
  if (settling === undefined) return []
  const { cycleId, settlement, rateId, amountMicro, isLate, isHeld, onlyIds, within, without } = settling
  return [
    ...(cycleId === undefined ? [] : [sql`r.cycle_id = ${cycleId}`]),
    ...(settlement === undefined ? [] : [sql`r.settlement = ${settlement}`]),
    ...(rateId === undefined ? [] : [sql`r.rate_id = ${rateId}`]),
    ...(amountMicro === undefined ? [] : [sql`r.amount_micro = ${amountMicro} and r.client_id is not null`]),
    ...(isLate === undefined ? [] : [sql`(r.flags & ${recordFlags.late} <> 0) = ${isLate}`]),
    ...(isHeld === undefined ? [] : [isHeld ? sql`r.is_held` : sql`not r.is_held`]),
    ...(onlyIds === undefined ? [] : [sql`r.id = any(${onlyIds}::bigint[])`]),
    ...(within === undefined ? [] : [sql`r.id in (${within})`]),
    ...(without === undefined ? [] : [sql`r.id not in (${without})`]),
  ]
}
