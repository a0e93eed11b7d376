import { sql, type RawBuilder } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import { Refusal } from '@tollgate/contract/errors.ts'
import { rangesRoutes, type ExportDays, type NumberRange } from '@tollgate/contract/numbers/ranges.ts'
import { isPermitted } from '@tollgate/contract/vocabulary.ts'
import { csvOfList, exportPageRows, type CsvColumn } from '../../files/formats/csv.ts'
import { bindRoutes, type Actor, type BoundRoutes, type Caller } from '../../http/handlers.ts'
import { containsPattern } from '../../http/lists/search-pattern.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { allOf, isChosen } from '../../http/lists/sorted-page.ts'
import { cancelScheduledTariff } from './scheduled-tariffs.ts'
import {
  createRange,
  deleteRange,
  editRange,
  findRange,
  setStatusOfChosenRanges,
  toRange,
} from './service.ts'
import { countRanges, listRanges, type RangePage } from './store.ts'

interface NumberRangeFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
}

/** The condition of the ranges that a filter of the list matches. */
export function rangeFilter({ search, status }: NumberRangeFilter): RawBuilder<unknown> {
  const anywhere = containsPattern(search ?? '')
  const digits = containsPattern(searchedDigits(search ?? '') ?? search ?? '')
  return allOf([
    search !== undefined &&
      search !== '' &&
      sql`(range_number ilike ${anywhere} or description ilike ${anywhere}
        or start_number like ${digits} or end_number like ${digits})`,
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

/** With the columns of what each range earned on the days that the caller asks for. */
async function columnsFor(
  { db, rangeEarnings }: NumbersDeps,
  matching: RawBuilder<unknown>,
  { dateFrom, dateTo }: ExportDays,
  actor: Actor,
): Promise<readonly CsvColumn<NumberRange>[]> {
  if (rangeEarnings === undefined || (dateFrom === undefined && dateTo === undefined)) return exportColumns
  if (dateFrom === undefined || dateTo === undefined) {
    const message = 'The earnings of ranges need a first and a last day.'
    throw new Refusal('invalid', message, {
      fields: { [dateFrom === undefined ? 'dateFrom' : 'dateTo']: message },
    })
  }
  const figures = await rangeEarnings(db, { matching, dateFrom, dateTo, actor })
  const hasMargins = [...figures.values()].some(({ margin }) => margin !== null)
  const earned: readonly CsvColumn<NumberRange>[] = [
    ['Earned From', () => dateFrom],
    ['Earned To', () => dateTo],
    ['Messages', ({ id }) => String(figures.get(id)?.count ?? 0)],
    ['Earned USD', ({ id }) => figures.get(id)?.amountUsd ?? '0'],
  ]
  const margins: readonly CsvColumn<NumberRange>[] = [
    ['Margin USDT', ({ id }) => figures.get(id)?.margin ?? ''],
  ]
  return [...exportColumns, ...earned, ...(hasMargins ? margins : [])]
}

/** Who set a tariff that waits is for staff. */
function seenBy({ role }: Actor, range: NumberRange): NumberRange {
  if (range.scheduled === null || isPermitted(role, 'numbersManagement')) return range
  return { ...range, scheduled: { ...range.scheduled, setBy: '' } }
}

export function bindRangesRoutes(deps: NumbersDeps): BoundRoutes {
  const { db } = deps
  const pageOf = async (filter: RawBuilder<unknown>, query: RangePage, actor: Actor) => {
    const page = await listRanges(db, filter, query)
    return { items: page.rows.map((row) => seenBy(actor, toRange(row))), next: page.next }
  }
  const exported = async (filter: RawBuilder<unknown>, days: ExportDays, { actor }: Caller) =>
    csvOfList('number-ranges.csv', await columnsFor(deps, filter, days, actor), (cursor) =>
      pageOf(filter, { sort: 'createdAt', order: 'desc', limit: exportPageRows, cursor }, actor),
    )
  return bindRoutes(rangesRoutes, {
    listRanges: ({ query }, { actor }) => pageOf(rangeFilter(query), query, actor),
    getRange: async ({ params }, { actor }) => seenBy(actor, await findRange(db, params.id)),
    summariseRanges: ({ query }) => countRanges(db, rangeFilter(query)),
    exportRanges: ({ query }, context) => exported(rangeFilter(query), query, context),
    exportChosenRanges: ({ body }, context) => exported(isChosen(sql`id`, body.ids), body, context),
    createRange: ({ body }, context) =>
      context.once(deps.db, (tx) => createRange({ ...deps, db: tx }, body, callerOf(context))),
    replaceRange: ({ params, body }, context) => editRange(deps, params.id, body, callerOf(context)),
    cancelScheduledTariff: ({ params }, context) => cancelScheduledTariff(deps, params.id, context),
    deleteRange: ({ params }, context) => deleteRange(deps, params.id, callerOf(context)),
    bulkSetRangeStatus: ({ body }, context) => setStatusOfChosenRanges(deps, body.rows, callerOf(context)),
  })
}
