import { formatMicro } from '@tollgate/contract/money.ts'
import type { InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import type { Db } from '../../platform/db.ts'
import { unknownNumber } from '../refusals.ts'
import { inventoryStatusOf, toScheduledPrice, viewNumber, type NumberView } from '../views.ts'

export function toInventoryItem(view: NumberView): InventoryItem {
  return {
    id: String(view.id),
    number: view.number,
    countryCode: view.country_code,
    country: view.country,
    operator: view.operator,
    pricePerSms: view.price_micro === null ? '' : formatMicro(BigInt(view.price_micro), 2),
    usdPerSms: formatMicro(BigInt(view.earns_micro)),
    scheduled: toScheduledPrice(view),
    earned: view.holder_id === null ? '' : formatMicro(BigInt(view.earned_micro), 2),
    status: inventoryStatusOf(view),
    assignedTo: view.holder_id,
    assignedUsername: view.holder_name,
    assignedFrom: view.held_from?.toISOString() ?? null,
    createdAt: view.created_at.toISOString(),
    version: view.version,
  }
}

/** The item as this transaction sees it. Throws Refusal not_found. */
export async function itemIn(tx: Db, id: number): Promise<InventoryItem> {
  const view = await viewNumber(tx, id)
  if (view === undefined) throw unknownNumber()
  return toInventoryItem(view)
}
