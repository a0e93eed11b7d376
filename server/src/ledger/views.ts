// Read-only sums for balances and for the checker: the ledger beside the records' counters.
import { sql } from 'kysely'
import { row, rows, type Db } from '../platform/db.ts'

/** What one client earned by traffic in one cycle, by the way it settles. */
export interface EarnedSum {
  readonly cycleId: number
  readonly userId: number
  readonly settlement: number
  readonly amountMicro: bigint
}

interface EarnedRow {
  cycle_id: number
  user_id: number
  settlement: number
  amount_micro: string
}

const toEarned = ({ cycle_id, user_id, settlement, amount_micro }: EarnedRow): EarnedSum => ({
  cycleId: cycle_id,
  userId: user_id,
  settlement,
  amountMicro: BigInt(amount_micro),
})

/** What clients earned by the records' counters and counter buffers. Sums of 0 are left out. */
export async function earnedByCounters(db: Db, userId?: number, cycleId?: number): Promise<EarnedSum[]> {
  const condition = sql`client_id <> 0
    and (${userId ?? null}::int is null or client_id = ${userId ?? null}::int)
    and (${cycleId ?? null}::int is null or cycle_id = ${cycleId ?? null}::int)`
  const found = await rows<EarnedRow>(
    db,
    sql`select cycle_id, client_id as user_id, settlement, sum(amount_micro)::text as amount_micro
        from record_cycles where ${condition}
        group by cycle_id, client_id, settlement having sum(amount_micro) <> 0`,
  )
  return found.map(toEarned)
}

/** The id of the newest line or batch, 0 before the first. */
export async function lastEntryId(db: Db): Promise<number> {
  const found = await row<{ id: string }>(
    db,
    sql`select greatest(
          (select max(id) from ledger_lines), (select max(id) from ledger_batches), 0
        ) as id`,
  )
  return Number(found?.id ?? 0)
}

/** What clients earned by the ledger's traffic, in lines and batches with ids in (after, upTo]. */
export async function earnedByLines(db: Db, after: number, upTo: number): Promise<EarnedSum[]> {
  const found = await rows<EarnedRow>(
    db,
    sql`select cycle_id, user_id, settlement, sum(amount_micro)::text as amount_micro from ledger_entries
        where id > ${after} and id <= ${upTo} and kind = 'traffic' and account = 'payable'
          and user_id is not null
        group by cycle_id, user_id, settlement`,
  )
  return found.map(toEarned)
}

/**
 * The sum of all single lines with ids in (after, upTo]: 0, unless something is wrong. A batch balances by its shape.
 */
export async function sumOfLines(db: Db, after: number, upTo: number): Promise<bigint> {
  const found = await row<{ sum: string }>(
    db,
    sql`select coalesce(sum(amount_micro), 0)::text as sum from ledger_lines where id > ${after} and id <= ${upTo}`,
  )
  return BigInt(found?.sum ?? 0)
}
