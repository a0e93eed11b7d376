// Held records, by where they stand: decided on in a cycle, whose bill what was released counts in, though the records
// are of earlier ones; or held when their own cycle closed.
import { sql } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import { messageIdOf } from '../records/index.ts'

/** Which message it is, what it is worth, and where it came in. */
export interface HeldPlace {
  readonly messageId: string
  readonly at: Date
  readonly number: string
  readonly amountMicro: bigint
  /** The cycle that the record came in. */
  readonly heldCycleId: number
}

export interface DecidedRecord extends HeldPlace {
  readonly userId: number
  /** A release in the record's own cycle is none: there it counts as if it had never been held. */
  readonly kind: 'release' | 'refusal'
  /** Empty once the record is no longer kept. */
  readonly sender: string
  readonly decidedAt: Date
}

/** By client and time, of clients from one id to another; with those that are worth nothing. */
export async function decidedRecords(
  db: Db,
  cycleId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<DecidedRecord[]> {
  const found = await rows<DecidedRow>(
    db,
    sql`select h.user_id, case h.status when 'released' then 'release' else 'refusal' end as kind, ${place}, h.decided_at
        from ${parts} where h.decided_cycle_id = ${cycleId} and h.user_id between ${from} and ${to}
          and (h.status = 'confirmed' or p.cycle_id <> ${cycleId})
        order by h.user_id, kind, p.record_created_at, p.record_id`,
  )
  return found.map((record) => ({
    ...placeOf(record),
    userId: record.user_id,
    kind: record.kind,
    sender: record.sender ?? '',
    decidedAt: record.decided_at,
  }))
}

/** A client's records of the cycle that nobody had decided on when it closed, or has yet; by time. */
export async function heldRecords(db: Db, cycleId: number, userId: number): Promise<HeldPlace[]> {
  const found = await rows<PlaceRow>(
    db,
    sql`select ${place} from ${parts} where h.user_id = ${userId} and p.cycle_id = ${cycleId}
          and (h.decided_cycle_id is null or h.decided_cycle_id > ${cycleId})
        order by p.record_created_at, p.record_id`,
  )
  return found.map(placeOf)
}

const place = sql`p.record_created_at, p.record_id, n.number, r.sender, p.amount_micro, p.cycle_id as held_cycle_id`
const parts = sql`holds h join hold_records p on p.hold_id = h.id
  left join records r on r.created_at = p.record_created_at and r.id = p.record_id
  join numbers n on n.id = coalesce(r.number_id, h.number_id)`

interface PlaceRow {
  readonly record_created_at: Date
  readonly record_id: string
  readonly number: string
  readonly sender: string | null
  readonly amount_micro: string
  readonly held_cycle_id: number
}

interface DecidedRow extends PlaceRow {
  readonly user_id: number
  readonly kind: DecidedRecord['kind']
  readonly decided_at: Date
}

function placeOf(record: PlaceRow): HeldPlace {
  return {
    messageId: messageIdOf({
      createdAtMs: record.record_created_at.getTime(),
      recordId: Number(record.record_id),
    }),
    at: record.record_created_at,
    number: record.number,
    amountMicro: BigInt(record.amount_micro),
    heldCycleId: record.held_cycle_id,
  }
}
