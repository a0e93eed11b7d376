// What backdating a holding would be worth, before anybody asks for it.
import type { BackdatingPreview } from '@tollgate/contract/adjustments/adjustments.ts'
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { formatMicro } from '@tollgate/contract/money.ts'
import { refuseHeld } from '../numbers/index.ts'
import { row, type Db } from '../platform/db.ts'
import type { CreditedRecord } from './backdating-store.ts'
import { priceBacklog, readBacklog, sumOfCredits } from './backlog.ts'

interface HoldingToBackdate {
  readonly numberId: number
  readonly userId: number
  readonly from: Date
}

interface HoldingRow {
  readonly number: string
  readonly username: string
  readonly holder_id: number | null
  readonly held_from: Date | null
  readonly now: Date
}

/** Throws Refusal not_found, invalid (a future time), taken (somebody held it meanwhile) and unprocessable (too much for one adjustment). */
export async function previewBackdating(
  db: Db,
  { numberId, userId, from }: HoldingToBackdate,
): Promise<BackdatingPreview> {
  const found = await row<HoldingRow>(
    db,
    sql`select n.number, u.username, n.holder_id, n.held_from, clock_timestamp() as now
        from numbers n, users u where n.id = ${numberId} and n.deleted_at is null and u.id = ${userId}`,
  )
  if (found === undefined) throw new Refusal('not_found', 'There is no such number or user. Reload the list.')
  if (from > found.now)
    throw new Refusal('invalid', 'A number can be assigned from now or from an earlier time.', {
      fields: { from: 'This time has not come yet' },
    })
  const to = found.holder_id === userId && found.held_from !== null ? found.held_from : found.now
  const holding = { numberId, digits: found.number, userId, from, to }
  await refuseHeld(db, holding)
  const records = await priceBacklog(db, holding, (await readBacklog(db, holding)).records)
  return {
    number: found.number,
    userName: found.username,
    heldFrom: from.toISOString(),
    heldTo: to.toISOString(),
    smsCount: records.length,
    amount: formatMicro(sumOfCredits(records), 2),
    cycles: await byCycle(db, records),
  }
}

async function byCycle(db: Db, records: readonly CreditedRecord[]): Promise<BackdatingPreview['cycles']> {
  const cycleIds = [...new Set(records.map(({ cycleId }) => cycleId))]
  const cycles = await db
    .selectFrom('cycles')
    .select(['id', 'starts_at', 'ends_at', sql<boolean>`closed_at is not null`.as('is_closed')])
    .where('id', '=', sql<number>`any(${cycleIds}::int[])`)
    .orderBy('id')
    .execute()
  return cycles.map((cycle) => {
    const own = records.filter(({ cycleId }) => cycleId === cycle.id)
    return {
      periodStart: cycle.starts_at.toISOString(),
      periodEnd: cycle.ends_at.toISOString(),
      isClosed: cycle.is_closed,
      smsCount: own.length,
      amount: formatMicro(sumOfCredits(own), 2),
    }
  })
}
