// How far a closed cycle is: its bills, their lines, statements and invoices.
import { sql, type RawBuilder } from 'kysely'
import { changed, execute, row, type Db } from '../../platform/db.ts'

/** Whether a cycle waits to be closed, to get its bills, or to get their lines. */
export async function isCloseDue(db: Db, now: Date): Promise<boolean> {
  const found = await row<{ is_any: boolean }>(
    db,
    sql`select exists (select from cycles where closed_at is null and ends_at <= ${now})
          or exists (select from cycles c where closed_at is not null
               and not exists (select from cycle_bills b where b.cycle_id = c.id))
          or exists (select from cycle_bills where itemised_at is null) as is_any`,
  )
  return found?.is_any === true
}

export interface ClosedCycle {
  readonly id: number
  readonly endsAt: Date
  readonly closedAt: Date
}

const findClosed = async (db: Db, condition: RawBuilder<unknown>): Promise<ClosedCycle | undefined> => {
  const found = await row<{ id: number; ends_at: Date; closed_at: Date }>(
    db,
    sql`select id, ends_at, closed_at from cycles c where closed_at is not null and ${condition} order by id limit 1`,
  )
  return found && { id: found.id, endsAt: found.ends_at, closedAt: found.closed_at }
}

/** The closed cycle whose bills are to be made next. */
export function findUnbilled(db: Db): Promise<ClosedCycle | undefined> {
  return findClosed(db, sql`not exists (select from cycle_bills b where b.cycle_id = c.id)`)
}

export function findClosedCycle(db: Db, cycleId: number): Promise<ClosedCycle | undefined> {
  return findClosed(db, sql`id = ${cycleId}`)
}

/** False when another node made the cycle's bills; waits while it is still making them. */
export async function claimBills(tx: Db, cycleId: number): Promise<boolean> {
  // Whoever holds messages of the cycle now is done before.
  await tx.selectFrom('cycles').select('id').where('id', '=', cycleId).forNoKeyUpdate().execute()
  return (
    (await changed(
      tx,
      tx
        .insertInto('cycle_bills')
        .values({ cycle_id: cycleId })
        .onConflict((oc) => oc.doNothing()),
    )) === 1
  )
}

/** A closed cycle whose bills have no lines yet, and that no other node is working on. */
export function findUnitemised(tx: Db): Promise<{ id: number } | undefined> {
  return tx
    .selectFrom('cycle_bills')
    .select('cycle_id as id')
    .where('itemised_at', 'is', null)
    .orderBy('cycle_id')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
}

export async function setItemised(tx: Db, cycleId: number): Promise<void> {
  await tx
    .updateTable('cycle_bills')
    .set({ itemised_at: sql<Date>`clock_timestamp()` })
    .where('cycle_id', '=', cycleId)
    .execute()
}

/**
 * Lets the jobs look for missing statements and invoices of the cycle again, because one client's have become possible.
 */
export async function setUnsigned(tx: Db, cycleId: number): Promise<void> {
  await tx
    .updateTable('cycle_bills')
    .set({ signed_at: null, invoices_at: null })
    .where('cycle_id', '=', cycleId)
    .execute()
}

export async function setSigned(db: Db, cycleId: number): Promise<void> {
  await db
    .updateTable('cycle_bills')
    .set({ signed_at: sql<Date>`clock_timestamp()` })
    .where('cycle_id', '=', cycleId)
    .execute()
}

/**
 * Keeps bills from being signed until the transaction ends; false when some are to be signed. A statement reads its records
 * once, and one that two nodes make at the same time must read the same.
 */
export async function holdSigning(tx: Db): Promise<boolean> {
  await execute(tx, 'lock table cycle_bills in share mode')
  const unsigned = await tx
    .selectFrom('cycle_bills')
    .select('signed_at')
    .where('signed_at', 'is', null)
    .where('itemised_at', 'is not', null)
    .limit(1)
    .executeTakeFirst()
  return unsigned === undefined
}

export async function setInvoices(tx: Db, cycleId: number, at: Date): Promise<void> {
  await tx.updateTable('cycle_bills').set({ invoices_at: at }).where('cycle_id', '=', cycleId).execute()
}

/** A client's cycles are looked at again, because it has a legal entity now. The caller keeps others from issuing. */
export async function unsetInvoices(tx: Db, userId: number): Promise<void> {
  await sql`update cycle_bills c set invoices_at = null
    where invoices_at is not null
      and (exists (select from billing_periods b where b.cycle_id = c.cycle_id and b.user_id = ${userId})
        or exists (select from payouts o where o.cycle_id = c.cycle_id and o.user_id = ${userId}))`.execute(
    tx,
  )
}
