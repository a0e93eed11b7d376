// The names of the groups of Analytics, as the viewer may see them. Groups of one key are shown as one row.
import type { AnalyticsDimension } from '@tollgate/contract/analytics/analytics.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { sql } from 'kysely'
import { countryOf } from '../numbers/index.ts'
import type { Db } from '../platform/db.ts'
import { maskNumber, visibleDigits } from '../files/formats/mask-number.ts'
import { wordAt } from '../ingest/index.ts'
import { type SqlFragment, isStaff, seesMasked, type Viewer } from '../records/index.ts'

/** How a dimension is read from counters `c` and named. */
export interface Naming {
  /** What counters call a group: an id, a status, or a time. */
  readonly code: string
  /** The names of ids: columns id, key and name. What filters compare is the key: rows of one key are one. */
  readonly names?: SqlFragment
  /** The name in SQL; null of an id without one. */
  readonly name: (code: SqlFragment, names: string) => SqlFragment
  /** The name as the viewer sees it. */
  readonly shown: (name: string) => string
}

const itself = (name: string) => name

const ofTime = (code: string, name: (code: SqlFragment) => SqlFragment): Naming => ({
  code,
  name,
  shown: itself,
})

const ofId = (code: string, names: SqlFragment, shown: (name: string) => string = itself): Naming => ({
  code,
  names,
  name: (_, alias) => sql.ref(`${alias}.name`),
  shown,
})

const times = {
  hour: ofTime('c.hour', (code) => sql`to_char(${code} at time zone 'UTC', 'YYYY-MM-DD"T"HH24')`),
  day: ofTime('c.day', (code) => sql`${code}::text`),
  week: ofTime(`date_trunc('week', c.day)::date`, (code) => sql`${code}::text`),
  month: ofTime(`date_trunc('month', c.day)::date`, (code) => sql`to_char(${code}, 'YYYY-MM')`),
}

const gatewayNames = sql`select id, name as key, name from gateways`
const gatewayAliases = sql`select id, alias as key, alias as name from gateways`
const numberNames = sql`select id, number as key, number as name from numbers`
// A filter of such a viewer compares the visible digits alone.
const maskedNames = sql`select id, right(number, ${visibleDigits}::int) as key, number as name from numbers`

/** Stands for the second dimension where sums have only one. */
export const ungrouped: Naming = { code: '0', name: () => sql`''`, shown: (name) => name }

/** How the groups of a dimension are named for this viewer. */
export async function namingOf(db: Db, viewer: Viewer, dimension: AnalyticsDimension): Promise<Naming> {
  switch (dimension) {
    case 'status':
      return {
        code: 'c.status',
        name: (code) => sql`${code}::text`,
        shown: (code) => wordAt(recordStatuses, Number(code)),
      }
    case 'client':
      return ofId('c.client_id', sql`select id, username as key, username as name from users`)
    case 'range':
      return ofId('c.range_id', sql`select id, range_number as key, range_number as name from ranges`)
    case 'country':
      return ofId('c.range_id', await countriesOfRanges(db))
    case 'gateway':
      return ofId('c.gateway_id', isStaff(viewer) ? gatewayNames : gatewayAliases)
    case 'number':
      return seesMasked(viewer)
        ? ofId('c.number_id', maskedNames, maskNumber)
        : ofId('c.number_id', numberNames)
    default:
      return times[dimension]
  }
}

async function countriesOfRanges(db: Db): Promise<SqlFragment> {
  const ranges = await db.selectFrom('ranges').select(['id', 'start_number as digits']).execute()
  const ids = ranges.map(({ id }) => id)
  const countries = ranges.map(({ digits }) => countryOf(digits))
  return sql`select id, name as key, name from unnest(${ids}::int[], ${countries}::text[]) as countries (id, name)`
}
