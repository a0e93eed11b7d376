import { sql, type RawBuilder } from 'kysely'
import { inventoryRoutes, type InventoryItem } from '@tollgate/contract/numbers/inventory.ts'
import type { InventoryStatus } from '@tollgate/contract/vocabulary.ts'
import type { CsvColumn } from '../../files/formats/csv.ts'
import { rows, type Db } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes } from '../../http/handlers.ts'
import { assignChosen, unassignChosen } from './holdings.ts'
import { countryFilter } from '../country.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { editNumber } from '../edit-number.ts'
import { searchCondition } from '../search-condition.ts'
import { allOf } from '../../http/lists/sorted-page.ts'
import {
  areNumbers,
  countNumbers,
  exportNumbers,
  hasInventoryStatus,
  listNumbers,
  namesMax,
  namesOf,
} from '../views.ts'
import { assignNumber, unassignNumber } from './assign.ts'
import { assignFrom } from './backdate.ts'
import { toInventoryItem } from './item.ts'
import { cancelScheduledPrice, setSuspended, stockNumber } from './stock.ts'

interface InventoryFilter {
  readonly search?: string | undefined
  readonly status?: InventoryStatus | 'all' | undefined
  readonly country?: string | undefined
}

function isOfCountry(country: string): RawBuilder<unknown> {
  const { codes, name, sharedCode } = countryFilter(country)
  return sql`(n.country_code = any(${[...codes]}::text[]) or n.country = ${name}
    or (n.country_code = ${sharedCode} and n.country = ''))`
}

/** The condition of the numbers that a filter of the stock matches; it sees them as n. */
export async function stockFilter(
  db: Db,
  { search, status, country }: InventoryFilter,
): Promise<RawBuilder<unknown>> {
  return allOf([
    await searchCondition(db, 'stock', search),
    status !== undefined && status !== 'all' && hasInventoryStatus[status],
    country !== undefined && country !== 'all' && country !== '' && isOfCountry(country),
  ])
}

const exportColumns: readonly CsvColumn<InventoryItem>[] = [
  ['Number', ({ number }) => number],
  ['Country', ({ country }) => country],
  ['Country Code', ({ countryCode }) => countryCode],
  ['Operator', ({ operator }) => operator],
  ['Price/SMS', ({ pricePerSms }) => pricePerSms],
  ['Status', ({ status }) => status],
  ['Assigned To', ({ assignedUsername }) => assignedUsername],
  ['Assigned From', ({ assignedFrom }) => assignedFrom ?? ''],
]
const exportForm = { fileName: 'number-inventory.csv', columns: exportColumns, toRow: toInventoryItem }

export function bindInventoryRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(inventoryRoutes, {
    async listInventory({ query }) {
      const page = await listNumbers(db, { ...query, filter: await stockFilter(db, query) })
      return { items: page.rows.map(toInventoryItem), next: page.next }
    },
    async summariseInventory({ query }) {
      const [counts, countries] = await Promise.all([
        stockFilter(db, query).then((filter) => countNumbers(db, filter)),
        rows<{ name: string }>(db, sql`${namesOf('country_code')} limit ${namesMax}`),
      ])
      return { ...counts, countries: countries.map(({ name }) => name) }
    },
    exportInventory: async ({ query }) => exportNumbers(db, exportForm, await stockFilter(db, query)),
    exportChosenInventory: async ({ body }) => exportNumbers(db, exportForm, areNumbers(body.ids)),
    createInventoryItem: ({ body }, context) =>
      context.once(deps.db, (tx) => stockNumber({ ...deps, db: tx }, body, callerOf(context))),
    editInventoryItem: ({ params, body }, context) =>
      editNumber(deps, params.id, body, callerOf(context), toInventoryItem),
    cancelScheduledPrice: ({ params }, context) => cancelScheduledPrice(deps, params.id, callerOf(context)),
    assignNumber: ({ params, body: { userId, from } }, context) =>
      from === undefined
        ? assignNumber(deps, params.id, userId, callerOf(context))
        : assignFrom(deps, params.id, { userId, from: new Date(from) }, callerOf(context)),
    unassignNumber: ({ params }, context) => unassignNumber(deps, params.id, callerOf(context)),
    suspendNumber: ({ params }, context) => setSuspended(deps, params.id, true, callerOf(context)),
    resumeNumber: ({ params }, context) => setSuspended(deps, params.id, false, callerOf(context)),
    bulkAssignNumbers: ({ body }, context) => assignChosen(deps, body, callerOf(context)),
    bulkUnassignNumbers: ({ body }, context) => unassignChosen(deps, body.ids, callerOf(context)),
  })
}
