import { sql, type RawBuilder } from 'kysely'
import { rangesRoutes } from '@tollgate/contract/ranges.ts'
import { csvReply, exportPageRows } from '../../platform/formats/csv.ts'
import { bindRoutes, type BoundRoutes, type StreamReply } from '../../platform/http/handlers.ts'
import { containsPattern } from '../../platform/lists/search-pattern.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { allOf, isChosen } from '../../platform/lists/sorted-page.ts'
import { createRange, deleteRange, editRange, setStatuses, toRange } from './service.ts'
import { countRanges, listRanges } from './store.ts'

interface RangeFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
}

function filterOf({ search, status }: RangeFilter): RawBuilder<unknown> {
  const anywhere = containsPattern(search ?? '')
  return allOf([
    search !== undefined &&
      search !== '' &&
      sql`(range_number ilike ${anywhere} or description ilike ${anywhere}
        or start_number like ${anywhere} or end_number like ${anywhere})`,
    status !== undefined && status !== 'all' && sql`status = ${status}`,
  ])
}

const exportHeader = [
  'Date & Time',
  'Range Number',
  'Start Number',
  'End Number',
  'Description',
  'Rate',
  'Status',
] as const

export function bindRangesRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  return bindRoutes(rangesRoutes, {
    async listRanges({ query }) {
      const page = await listRanges(db, { ...query, filter: filterOf(query) })
      return { items: page.rows.map(toRange), next: page.next }
    },
    summariseRanges: ({ query }) => countRanges(db, filterOf(query)),
    exportRanges: ({ query }) => exported(filterOf(query)),
    exportChosenRanges: ({ body }) => exported(isChosen(sql`id`, body.ids)),
    createRange: ({ body }, context) => createRange(deps, body, callerOf(context)),
    replaceRange: ({ params, body }, context) => editRange(deps, params.id, body, callerOf(context)),
    async deleteRange({ params }, context) {
      await deleteRange(deps, params.id, callerOf(context))
      return {}
    },
    bulkSetRangeStatus: ({ body }, context) => setStatuses(deps, body.rows, callerOf(context)),
  })

  async function exported(filter: RawBuilder<unknown>): Promise<StreamReply> {
    return csvReply('number-ranges.csv', exportHeader, exportLines(filter))
  }

  async function* exportLines(filter: RawBuilder<unknown>): AsyncGenerator<string[][]> {
    let cursor: string | undefined
    do {
      const page = await listRanges(db, {
        filter,
        sort: 'createdAt',
        order: 'desc',
        limit: exportPageRows,
        cursor,
      })
      yield page.rows
        .map(toRange)
        .map((range) => [
          range.createdAt,
          range.rangeNumber,
          range.startNumber,
          range.endNumber,
          range.description,
          range.rate,
          range.status,
        ])
      cursor = page.next
    } while (cursor !== undefined)
  }
}
