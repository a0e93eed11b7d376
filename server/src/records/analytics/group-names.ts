// The names of the groups of Analytics, as the viewer may see them. Groups of one key are shown as one row.
import type { AnalyticsDimension } from '@tollgate/contract/analytics.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import { sql } from 'kysely'
import { countryOf } from '../../numbers/index.ts'
import { rows, type Db } from '../../platform/db.ts'
import { maskNumber, visibleDigits } from '../../platform/formats/mask-number.ts'
import { wordAt } from '../query/codes.ts'
import { isStaff, seesMasked, type Viewer } from '../read/viewer.ts'

interface GroupName {
  /** What filters compare: rows of one key are one. */
  readonly key: string
  readonly name: string
}

const sources = {
  client: sql`select id, username as name from users`,
  range: sql`select id, range_number as name from ranges`,
  country: sql`select id, start_number as name from ranges`,
  gateway: sql`select id, name from gateways`,
  alias: sql`select id, alias as name from gateways`,
  number: sql`select id, number as name from numbers`,
} as const

/** Gives the name of a group by what the counters call it: an id, a status, or a time. */
export async function namesOfGroups(
  db: Db,
  viewer: Viewer,
  dimension: AnalyticsDimension,
  codes: readonly string[],
): Promise<(code: string) => GroupName> {
  if (dimension === 'status') return (code) => named(wordAt(recordStatuses, Number(code)))
  if (dimension === 'hour' || dimension === 'day' || dimension === 'week' || dimension === 'month')
    return named
  const kind = dimension === 'gateway' && !isStaff(viewer) ? 'alias' : dimension
  const found = await rows<{ id: number; name: string }>(
    db,
    sql`select id, name from (${sources[kind]}) named where id = any(${[...new Set(codes)]}::int[])`,
  )
  const names = new Map(found.map(({ id, name }) => [String(id), shown(viewer, dimension, name)]))
  return (code) => names.get(code) ?? named('')
}

const named = (name: string): GroupName => ({ key: name, name })

function shown(viewer: Viewer, dimension: AnalyticsDimension, name: string): GroupName {
  if (dimension === 'country') return named(countryOf(name))
  // A filter of such a viewer compares the visible digits alone.
  if (dimension === 'number' && seesMasked(viewer))
    return { key: name.slice(-visibleDigits), name: maskNumber(name) }
  return named(name)
}
