// Tariffs of ranges that start at a chosen time. One that waits is in the catalog with its start, so that each message
// costs what is in force at its own time. A job makes it the present one a moment later, for lists and forms.
import { sql } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import type { Db } from '../../platform/db.ts'
import type { Caller } from '../../http/handlers.ts'
import { rowId } from '../../platform/refusals.ts'
import { transaction } from '../../platform/transaction.ts'
import { changeCatalog } from '../change-catalog.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { unknownRange } from '../refusals.ts'
import { clearNextTariff, lockRange, startTariffs, toScheduledTariff } from './store.ts'

/** Makes the tariffs that have started the present ones. Each node prices by them since their start in any case. */
export async function startDueTariffs(db: Db): Promise<void> {
  const due = await db
    .selectFrom('ranges')
    .select('next_tariff_from')
    .where('next_tariff_from', '<=', sql<Date>`clock_timestamp()`)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  // Without one, the gate stays open: this runs each second.
  if (due === undefined) return
  await transaction(db, async (tx) => startTariffs(tx, await changeCatalog(tx)))
}

/** Cancels the tariff that waits for a range. Throws Refusal not_found when there is no such range or none waits. */
export async function cancelScheduledTariff(
  { db, audit }: NumbersDeps,
  idText: string,
  by: Caller,
): Promise<undefined> {
  const id = rowId(idText, unknownRange)
  await transaction(db, async (tx) => {
    const change = await changeCatalog(tx)
    await startTariffs(tx, change)
    const range = await lockRange(tx, id)
    if (range === undefined) throw unknownRange()
    const scheduled = toScheduledTariff(range)
    if (scheduled === null) throw new Refusal('not_found', 'No rate waits: it has started, or was cancelled.')
    await clearNextTariff(tx, change, id)
    await audit.record(tx, {
      ...callerOf(by),
      action: 'range.cancel_scheduled',
      objectType: 'range',
      objectId: String(id),
      before: { rate: scheduled.rate, startsAt: scheduled.startsAt },
    })
  })
  return undefined
}
