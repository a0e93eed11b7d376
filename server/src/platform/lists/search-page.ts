// The first rows of a list that match a search, in the list's order, for words that many rows have and words that few have.
import { sql, type RawBuilder } from 'kysely'

export interface SearchPage {
  /** What is selected. */
  readonly columns: RawBuilder<unknown>
  /** The table, as n. */
  readonly table: RawBuilder<unknown>
  /** What holds for all rows of the list, and the place where the page begins: an index serves both in this order. */
  readonly listed: RawBuilder<unknown>
  /** The filters and the search. */
  readonly wanted: RawBuilder<unknown>
  readonly orderBy: RawBuilder<unknown>
  readonly limit: number
}

// A few milliseconds. A word that one row in twenty has fills a page within them.
const nearRows = 2_000

/**
 * The select of a page, in its order. The index of a search text gives all matches at once, and sorts them: a word that
 * a quarter of the rows has costs a reading of them. The index of the order finds such a word at once, but reads
 * everything for a rare one, or one that stands together at the far end, as blocks of numbers do. No estimate tells
 * which it is, so the nearest rows are looked through first, and only if they do not fill the page all matches are.
 */
export function searchPage(page: SearchPage): RawBuilder<unknown> {
  const { columns, table, listed, wanted, orderBy, limit } = page
  return sql`
    with near as materialized (
      select ${columns} from (select * from ${table} n where ${listed} order by ${orderBy} limit ${nearRows}) n
      where ${wanted} order by ${orderBy} limit ${limit}
    ),
    filled as materialized (select count(*) = ${limit} as is_full from near)
    (select * from near where (select is_full from filled))
    union all
    (select ${columns} from ${table} n
      where not (select is_full from filled) and ${listed} and ${wanted} order by ${orderBy} limit ${limit})`
}
