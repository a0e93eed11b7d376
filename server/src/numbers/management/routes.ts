import { sql, type RawBuilder } from 'kysely'
import { formatMicro } from '@tollgate/contract/money.ts'
import type { numbersRoutes } from '@tollgate/contract/numbers/numbers.ts'
import type { CsvColumn } from '../../files/formats/csv.ts'
import { rows, type Db } from '../../platform/db.ts'
import { type Handlers } from '../../http/handlers.ts'
import { setStatusOfChosen } from './statuses.ts'
import { diallingCode } from '../country.ts'
import { callerOf, type NumbersDeps } from '../deps.ts'
import { editNumber } from '../edit-number.ts'
import { keepApostrophe } from '../../files/tables/apostrophe.ts'
import { importHeader } from '../import/columns.ts'
import { searchCondition } from '../search-condition.ts'
import { allOf } from '../../http/lists/sorted-page.ts'
import {
  areNumbers,
  isOfCountryNamed,
  countNumbers,
  exportNumbers,
  listNumbers,
  namesMax,
  namesOf,
  type NumberView,
} from '../views.ts'
import { createPremiumNumber, deletePremiumNumber, toPremiumNumber } from './service.ts'

type PremiumRoutes = Pick<
  typeof numbersRoutes,
  | 'listPremiumNumbers'
  | 'summarisePremiumNumbers'
  | 'exportPremiumNumbers'
  | 'exportChosenPremiumNumbers'
  | 'createPremiumNumber'
  | 'replacePremiumNumber'
  | 'deletePremiumNumber'
  | 'bulkSetNumberStatus'
>

interface PremiumFilter {
  readonly search?: string | undefined
  readonly status?: string | undefined
  readonly country?: string | undefined
}

/** The condition of the numbers that a filter of the list matches; it sees them as n. */
export async function premiumFilter(
  db: Db,
  { search, status, country }: PremiumFilter,
): Promise<RawBuilder<unknown>> {
  return allOf([
    await searchCondition(db, 'premium', search),
    status !== undefined && status !== 'all' && sql`n.status = ${status}`,
    country !== undefined && country !== 'all' && country !== '' && isOfCountryNamed(country),
  ])
}

export function premiumHandlers(deps: NumbersDeps): Handlers<PremiumRoutes> {
  const { db } = deps
  return {
    async listPremiumNumbers({ query }) {
      const page = await listNumbers(db, { ...query, filter: await premiumFilter(db, query) })
      return { items: page.rows.map(toPremiumNumber), next: page.next }
    },
    async summarisePremiumNumbers({ query }) {
      const [counts, countries] = await Promise.all([
        premiumFilter(db, query).then((filter) => countNumbers(db, filter)),
        rows<{ country: string; country_code: string }>(
          db,
          sql`select name as country, first.country_code from (${namesOf('country')} limit ${namesMax}) names cross join lateral (
                select country_code from numbers where deleted_at is null and country = name order by id limit 1
              ) first order by name`,
        ),
      ])
      return {
        ...counts,
        countries: countries.map((row) => ({
          country: row.country,
          countryCode: diallingCode(row.country_code),
        })),
      }
    },
    exportPremiumNumbers: async ({ query }) => exportNumbers(db, exportForm, await premiumFilter(db, query)),
    exportChosenPremiumNumbers: async ({ body }) => exportNumbers(db, exportForm, areNumbers(body.ids)),
    createPremiumNumber: ({ body }, context) =>
      context.once(deps.db, (tx) => createPremiumNumber({ ...deps, db: tx }, body, callerOf(context))),
    replacePremiumNumber: ({ params, body }, context) =>
      editNumber(deps, params.id, body, callerOf(context), toPremiumNumber),
    deletePremiumNumber: ({ params }, context) => deletePremiumNumber(deps, params.id, callerOf(context)),
    bulkSetNumberStatus: ({ body }, context) => setStatusOfChosen(deps, body, callerOf(context)),
  }
}

/** In the format of the import, so that an export can be edited and imported again. */
const cells: readonly ((view: NumberView) => string)[] = [
  ({ number }) => number,
  ({ description }) => keepApostrophe(description),
  // A range's tariff is left empty; otherwise an import of this file would make it the number's own.
  (view) => (view.tariff_micro === null ? '' : formatMicro(BigInt(view.tariff_micro), 2)),
  ({ status }) => status,
  ({ country }) => keepApostrophe(country),
  (view) => diallingCode(view.country_code),
]
const exportForm = {
  fileName: 'premium-numbers.csv',
  columns: importHeader.map((name, index): CsvColumn<NumberView> => [name, cells[index] ?? (() => '')]),
  toRow: (view: NumberView) => view,
}
