// The first rows of a list that match a search, in the list's order. Fast for common words and for rare ones.
import { sql, type RawBuilder } from 'kysely'

export interface SearchPage {
  readonly columns: RawBuilder<unknown>
  /** The table, as n. */
  readonly table: RawBuilder<unknown>
  /** The condition for all rows of the list, and for those after the cursor. One index serves both in this order. */
  readonly listed: RawBuilder<unknown>
  /** The filters and the search. */
  readonly filter: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
  readonly limit: number
}

// A few milliseconds. A word that one row in twenty has fills a page within them.
const nearRows = 2_000

/**
 * The select of a page, in its order. There are two indexes to use:
 * - The index of the search text finds all matches and sorts them. A word in a quarter of the rows means reading all of
 *   these.
 * - The index of the order finds a common word at once. For a rare word it reads everything, also for a word whose rows
 *   stand together at the far end, as blocks of numbers do.
 * The planner cannot know which case it has. So the nearest rows are searched first, and all matches are read only when
 * these do not fill the page.
 */
export function searchPage(page: SearchPage): RawBuilder<unknown> {
  const { columns, table, listed, filter, orderBy, limit } = page
  return sql`
    with near as materialized (
      select ${columns} from (select * from ${table} n where ${listed} order by ${orderBy} limit ${nearRows}) n
      where ${filter} order by ${orderBy} limit ${limit}
    ),
    filled as materialized (select count(*) = ${limit} as is_full from near)
    (select * from near where (select is_full from filled))
    union all
    (select ${columns} from ${table} n
      where not (select is_full from filled) and ${listed} and ${filter} order by ${orderBy} limit ${limit})`
}
