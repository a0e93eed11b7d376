import { sql, type RawBuilder } from 'kysely'
import { inventoryRoutes } from '@tollgate/contract/inventory.ts'
import { csvReply } from '../../platform/formats/csv.ts'
import { rows } from '../../platform/db.ts'
import { bindRoutes, type BoundRoutes, type StreamReply } from '../../platform/http/handlers.ts'
import { countryMarks } from '../country.ts'
import { byOf, type NumbersDeps } from '../deps.ts'
import { matches, type MatchSurroundings } from '../search/matches.ts'
import { allOf, isChosen } from '../../platform/lists/sorted-page.ts'
import { countNumbers, everyNumber, listNumbers, namesMost, namesOf } from '../views.ts'
import { assignNumber, assignNumbers, unassignNumber } from './assign.ts'
import { toInventoryItem } from './item.ts'
import { editStock, setSuspended, stockNumber } from './stock.ts'

interface InventoryFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
  readonly country?: string | undefined
}

function isOfCountry(wanted: string): RawBuilder<unknown> {
  const { codes, name, sharedCode } = countryMarks(wanted)
  return sql`(n.country_code = any(${[...codes]}::text[]) or n.country = ${name}
    or (n.country_code = ${sharedCode} and n.country = ''))`
}

async function filterOf(
  deps: MatchSurroundings,
  { search, status, country }: InventoryFilter,
): Promise<RawBuilder<unknown>> {
  return allOf([
    await matches(deps, 'stock', search),
    status !== undefined && status !== 'all' && sql`n.stock_status = ${status}`,
    country !== undefined && country !== 'all' && country !== '' && isOfCountry(country),
  ])
}

const exportHeader = [
  'Number',
  'Country',
  'Country Code',
  'Operator',
  'Price/SMS',
  'Status',
  'Assigned To',
  'Assigned From',
] as const

export function bindInventoryRoutes(deps: NumbersDeps & MatchSurroundings): BoundRoutes {
  const { db } = deps
  return bindRoutes(inventoryRoutes, {
    async listInventory({ query }) {
      const sort = query.sort === 'status' ? 'inventoryStatus' : query.sort
      const page = await listNumbers(db, { ...query, sort, filter: await filterOf(deps, query) })
      return { items: page.rows.map(toInventoryItem), next: page.next }
    },
    async summariseInventory({ query }) {
      const [counts, countries] = await Promise.all([
        filterOf(deps, query).then((filter) => countNumbers(db, filter)),
        rows<{ name: string }>(db, sql`${namesOf('country_code')} limit ${namesMost}`),
      ])
      return { ...counts, countries: countries.map(({ name }) => name) }
    },
    exportInventory: async ({ query }) => exported(await filterOf(deps, query)),
    exportChosenInventory: async ({ body }) => exported(isChosen(sql`n.id`, body.ids)),
    createInventoryItem: ({ body }, context) => stockNumber(deps, body, byOf(context)),
    editInventoryItem: ({ params, body }, context) => editStock(deps, params.id, body, byOf(context)),
    assignNumber: ({ params, body }, context) => assignNumber(deps, params.id, body, byOf(context)),
    unassignNumber: ({ params }, context) => unassignNumber(deps, params.id, byOf(context)),
    suspendNumber: ({ params }, context) => setSuspended(deps, params.id, true, byOf(context)),
    resumeNumber: ({ params }, context) => setSuspended(deps, params.id, false, byOf(context)),
    async bulkAssignNumbers({ body }, context) {
      return { changed: await assignNumbers(deps, body.ids, body.userId, byOf(context)) }
    },
  })

  function exported(filter: RawBuilder<unknown>): StreamReply {
    return csvReply('number-inventory.csv', exportHeader, exportLines(filter))
  }

  async function* exportLines(filter: RawBuilder<unknown>): AsyncGenerator<string[][]> {
    for await (const page of everyNumber(db, filter)) {
      yield page
        .map(toInventoryItem)
        .map((item) => [
          item.number,
          item.country,
          item.countryCode,
          item.operator,
          item.pricePerSms,
          item.status,
          item.assignedUsername,
          item.assignedFrom ?? '',
        ])
    }
  }
}
