import { sql, type RawBuilder } from 'kysely'
import { rangesRoutes, type NumberRange } from '@tollgate/contract/ranges.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../platform/formats/csv.ts'
import { bindRoutes, type BoundRoutes } from '../../platform/http/handlers.ts'
import { containsPattern } from '../../platform/lists/search-pattern.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { allOf, isChosen } from '../../platform/lists/sorted-page.ts'
import { createRange, deleteRange, editRange, findRange, setStatuses, toRange } from './service.ts'
import { countRanges, listRanges, type RangePage } from './store.ts'

interface RangeFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
}

/** The condition of the ranges that a filter of the list matches. */
export function rangeFilter({ search, status }: RangeFilter): RawBuilder<unknown> {
  const anywhere = containsPattern(search ?? '')
  return allOf([
    search !== undefined &&
      search !== '' &&
      sql`(range_number ilike ${anywhere} or description ilike ${anywhere}
        or start_number like ${anywhere} or end_number like ${anywhere})`,
    status !== undefined && status !== 'all' && sql`status = ${status}`,
  ])
}

const exportColumns: readonly CsvColumn<NumberRange>[] = [
  ['Date & Time', ({ createdAt }) => createdAt],
  ['Range Number', ({ rangeNumber }) => rangeNumber],
  ['Start Number', ({ startNumber }) => startNumber],
  ['End Number', ({ endNumber }) => endNumber],
  ['Description', ({ description }) => description],
  ['Rate', ({ rate }) => rate],
  ['Status', ({ status }) => status],
]

export function bindRangesRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  const pageOf = async (filter: RawBuilder<unknown>, query: RangePage) => {
    const page = await listRanges(db, filter, query)
    return { items: page.rows.map(toRange), next: page.next }
  }
  const exported = (filter: RawBuilder<unknown>) =>
    csvOfList('number-ranges.csv', exportColumns, (cursor) =>
      pageOf(filter, { sort: 'createdAt', order: 'desc', limit: exportPageRows, cursor }),
    )
  return bindRoutes(rangesRoutes, {
    listRanges: ({ query }) => pageOf(rangeFilter(query), query),
    getRange: ({ params }) => findRange(db, params.id),
    summariseRanges: ({ query }) => countRanges(db, rangeFilter(query)),
    exportRanges: async ({ query }) => exported(rangeFilter(query)),
    exportChosenRanges: async ({ body }) => exported(isChosen(sql`id`, body.ids)),
    createRange: ({ body }, context) =>
      context.once(deps.db, (tx) => createRange({ ...deps, db: tx }, body, callerOf(context))),
    replaceRange: ({ params, body }, context) => editRange(deps, params.id, body, callerOf(context)),
    async deleteRange({ params }, context) {
      await deleteRange(deps, params.id, callerOf(context))
      return {}
    },
    bulkSetRangeStatus: ({ body }, context) => setStatuses(deps, body.rows, callerOf(context)),
  })
}
