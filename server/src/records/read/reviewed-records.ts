// The held records that a period's lines and its statement name: those that were decided in the period (a released record
// counts in this period's bill, although it came in an earlier one), and those of the period that were held at its close.
// Lines have their sums, which counters keep, and the first hundred of them.
import { sql, type RawBuilder } from 'kysely'
import type { ReviewedMessage } from '@tollgate/contract/billing/bills.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { rows, type Db } from '../../platform/db.ts'
import { messageIdOf } from '../../ingest/index.ts'

/** A client's period. */
export interface LinesOf {
  readonly cycleId: number
  readonly userId: number
  /** Without a bill the lines are as they are now. */
  readonly isBilled: boolean
  /** As the client sees a period without bills: what was held since yesterday counts as if it were not. */
  readonly asTold?: boolean
}

/** The condition on held records, or sums of them, that whoever reads the period sees that they are held. */
export const isSeen = ({
  cycleId,
  asTold = false,
}: Pick<LinesOf, 'cycleId' | 'asTold'>): RawBuilder<unknown> =>
  asTold
    ? sql`(is_told(told_from) or exists (select from cycle_bills where cycle_id = ${cycleId}))`
    : sql`true`

/** Held when the period closed, or still; released in it, of an earlier period; refused in it. */
export type Reviewed = 'held' | 'release' | 'refusal'

export interface ReviewedSum {
  readonly number: string
  readonly rate: string
  readonly count: number
  readonly amountMicro: bigint
}

interface SumRow {
  readonly kind: Reviewed
  readonly number: string
  readonly rate_micro: string | null
  readonly count: string
  readonly amount_micro: string
}

/** What a period's lines say of held records, by number and rate, the most valuable first. Records worth 0 are included. */
export async function reviewedSums(db: Db, period: LinesOf): Promise<Record<Reviewed, ReviewedSum[]>> {
  const { cycleId, userId } = period
  const isTold = isSeen(period)
  const found = await rows<SumRow>(
    db,
    sql`select s.kind, n.number, t.rate_micro, s.count::text, s.amount_micro::text from (
          select kind, number_id, rate_id, sum(record_count) as count, sum(amount_micro) as amount_micro from (
            select 'held' as kind, number_id, rate_id, record_count, amount_micro from hold_sums
              where cycle_id = ${cycleId} and user_id = ${userId} and ${isTold}
            -- Refused in its own period: it waited no more when the period closed.
            union all select 'held', number_id, rate_id, -record_count, -amount_micro from decided_sums
              where decided_cycle_id = ${cycleId} and user_id = ${userId} and outcome = 'confirmed' and cycle_id = ${cycleId}
                and ${isTold}
            union all select case outcome when 'released' then 'release' else 'refusal' end, number_id, rate_id,
                record_count, amount_micro from decided_sums
              where decided_cycle_id = ${cycleId} and user_id = ${userId} and ${isNamed(cycleId)} and ${isTold}
          ) parts group by 1, 2, 3 having sum(record_count) > 0
        ) s join numbers n on n.id = s.number_id left join rates t on t.id = s.rate_id
        order by s.amount_micro desc, n.number, t.rate_micro`,
  )
  const sums: Record<Reviewed, ReviewedSum[]> = { held: [], release: [], refusal: [] }
  for (const { kind, number, rate_micro, count, amount_micro } of found)
    sums[kind].push({
      number,
      rate: rate_micro === null ? '' : formatMicro(BigInt(rate_micro), 2),
      count: Number(count),
      amountMicro: BigInt(amount_micro),
    })
  return sums
}

// A release in the record's own cycle is not named: the record counts there as if it had never been held.
const isNamed = (cycleId: number) => sql`(outcome = 'confirmed' or cycle_id <> ${cycleId})`

/** As many messages as a line names. */
export const namedMax = 100

/** The first of these records, by time. */
export async function firstReviewed(db: Db, period: LinesOf, kind: Reviewed): Promise<ReviewedMessage[]> {
  const { cycleId, userId } = period
  const outcome = kind === 'release' ? 'released' : 'confirmed'
  const which =
    kind === 'held'
      ? sql`cycle_id = ${cycleId} and not is_billed and (decided_cycle_id is null or decided_cycle_id > ${cycleId})`
      : sql`decided_cycle_id = ${cycleId} and outcome = ${outcome} and ${isNamed(cycleId)}`
  const found = await rows<HeldRow>(
    db,
    sql`select p.record_created_at, p.record_id, n.number, p.amount_micro, p.cycle_id as held_cycle_id from (
          select * from hold_records
          where ${which} and user_id = ${userId} and ${isSeen(period)}
          order by record_created_at, record_id limit ${namedMax}
        ) p join numbers n on n.id = p.number_id order by p.record_created_at, p.record_id`,
  )
  return found.map((record) => {
    const { messageId, at, number, amountMicro, heldCycleId } = toHeldRecord(record)
    return {
      id: messageId,
      at: at.toISOString(),
      number,
      amount: formatMicro(amountMicro, 2),
      heldIn: `${heldCycleId}-${userId}`,
    }
  })
}

/** A record that was held and is decided, as a statement names it. */
export interface DecidedRecord {
  readonly messageId: string
  readonly at: Date
  readonly number: string
  readonly amountMicro: bigint
  /** The cycle in which the record came. */
  readonly heldCycleId: number
  readonly userId: number
  readonly kind: 'release' | 'refusal'
  /** The source address; empty when the record is deleted already. */
  readonly sender: string
  readonly decidedAt: Date
}

const decidedPage = 1_000

/**
 * A client's records that were decided in the cycle and are named there, a page at a time: refusals before releases, by time.
 * Records worth 0 are included.
 */
export async function* walkDecided(db: Db, cycleId: number, userId: number): AsyncGenerator<DecidedRecord[]> {
  let after = sql`true`
  for (;;) {
    const found = await rows<DecidedRow>(
      db,
      sql`select ${heldColumns}, p.outcome, (extract(epoch from p.record_created_at) * 1000000)::bigint as micros, h.decided_at
          from ${heldSource} where p.decided_cycle_id = ${cycleId} and p.user_id = ${userId} and p.outcome is not null
            and (p.outcome = 'confirmed' or p.cycle_id <> ${cycleId}) and ${after}
          order by p.outcome, p.record_created_at, p.record_id limit ${decidedPage}`,
    )
    yield found.map((record) => ({
      ...toHeldRecord(record),
      userId,
      kind: record.outcome === 'released' ? 'release' : 'refusal',
      sender: record.sender ?? '',
      decidedAt: record.decided_at,
    }))
    const last = found.at(-1)
    if (last === undefined || found.length < decidedPage) return
    after = sql`(p.outcome, p.record_created_at, p.record_id) > (${last.outcome},
      'epoch'::timestamptz + ${last.micros}::bigint * interval '1 microsecond', ${last.record_id}::bigint)`
  }
}

/** Of a range of clients those with records that were decided in the cycle and are named there. */
export async function clientsWithDecided(
  db: Db,
  cycleId: number,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<Set<number>> {
  const found = await rows<{ user_id: number }>(
    db,
    sql`select distinct user_id from decided_sums
        where decided_cycle_id = ${cycleId} and user_id between ${from} and ${to} and ${isNamed(cycleId)}`,
  )
  return new Set(found.map(({ user_id }) => user_id))
}

const heldColumns: RawBuilder<unknown> = sql`p.record_created_at, p.record_id, n.number, r.sender, p.amount_micro,
  p.cycle_id as held_cycle_id`
const heldSource = sql`holds h join hold_records p on p.hold_id = h.id
  left join records r on r.created_at = p.record_created_at and r.id = p.record_id
  join numbers n on n.id = p.number_id`

interface HeldRow {
  readonly record_created_at: Date
  readonly record_id: string
  readonly number: string
  readonly amount_micro: string
  readonly held_cycle_id: number
}

interface DecidedRow extends HeldRow {
  readonly outcome: 'released' | 'confirmed'
  readonly micros: string
  readonly sender: string | null
  readonly decided_at: Date
}

const toHeldRecord = (record: HeldRow) => ({
  messageId: messageIdOf({
    createdAtMs: record.record_created_at.getTime(),
    recordId: Number(record.record_id),
  }),
  at: record.record_created_at,
  number: record.number,
  amountMicro: BigInt(record.amount_micro),
  heldCycleId: record.held_cycle_id,
})
