// What suppliers pay us for the messages to their ranges. Entries are only added: the newest for a day counts.
import { sql, type RawBuilder } from 'kysely'
import { Refusal } from '@tollgate/contract/errors.ts'
import { parseMicro } from '@tollgate/contract/money.ts'
import type { z } from 'zod'
import type { PurchasePrice, purchasePriceInputSchema } from '@tollgate/contract/books/margin.ts'
import type { Db } from '../platform/db.ts'
import { replyRow, replyRows } from '../http/reply.ts'
import type { Caller, PageReply } from '../http/handlers.ts'
import { cutPage, readCursor } from '../http/lists/cursor.ts'
import type { BillingDeps } from '../billing/index.ts'

const priceRows = (condition: RawBuilder<unknown>, limit: number) => sql`
  select p.id, g.range_number as range, p.supplier, p.price_micro, p.starts_on::text as starts_on, p.entered_at,
    u.username as entered_by
  from purchase_prices p join ranges g on g.id = p.range_id join users u on u.id = p.entered_by
  where ${condition} order by p.id desc limit ${limit}`

/** A page of prices, the newest entry first. */
export async function listPurchasePrices(
  db: Db,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<PageReply<PurchasePrice[]>> {
  const after = readCursor(cursor, ['id'])?.[0]
  const condition = after === undefined ? sql`true` : sql`p.id < ${after}::bigint`
  const found = await replyRows<PurchasePrice>(db, priceRows(condition, limit + 1))
  const { rows: items, next } = cutPage(found, limit, ({ id }) => [id])
  return { items, next }
}

type PriceInput = z.output<typeof purchasePriceInputSchema>

/** Throws Refusal invalid for a range that there is not. */
export async function createPurchasePrice(
  { db: tx, audit, clock }: Pick<BillingDeps, 'db' | 'audit' | 'clock'>,
  input: PriceInput,
  by: Caller,
): Promise<PurchasePrice> {
  const { supplier, startsOn } = input
  const range = await tx
    .selectFrom('ranges')
    .select('id')
    .where('range_number', '=', input.range)
    .where('deleted_at', 'is', null)
    .executeTakeFirst()
  if (range === undefined)
    throw new Refusal('invalid', 'There is no such range.', { fields: { range: 'There is no such range' } })
  const made = await tx
    .insertInto('purchase_prices')
    .values({
      range_id: range.id,
      supplier,
      price_micro: parseMicro(input.price) ?? 0n,
      starts_on: startsOn,
      entered_by: by.actor.userId,
      entered_at: clock.now(),
    })
    .returning('id')
    .executeTakeFirst()
  await audit.record(tx, {
    ...by,
    action: 'books.purchase_price',
    objectType: 'range',
    objectId: String(range.id),
    after: { ...input },
  })
  const found = await replyRow<PurchasePrice>(tx, priceRows(sql`p.id = ${made?.id ?? '0'}::bigint`, 1))
  if (found === undefined) throw new Error('The price did not come back')
  return found
}
