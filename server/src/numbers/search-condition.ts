// The conditions behind the search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { searchedDigits } from '@tollgate/contract/fields.ts'
import { rows, type Db } from '../platform/db.ts'
import { anyFound, contains, searchTermOf, textContains } from '../http/lists/search-pattern.ts'
import { namesOf } from './views.ts'

// The index numbers_search_idx has each of these texts, and the digits.
const [description, operator, account, holder] = [
  sql`search_text(n.description)`,
  sql`search_text(n.operator)`,
  sql`search_text(n.account_number)`,
  sql`search_text(n.holder_name)`,
]

interface SearchedColumns {
  readonly hasCountry: boolean
  readonly texts: readonly RawBuilder<unknown>[]
}

// Each list searches only the columns that it shows.
const lists = {
  premium: { hasCountry: true, texts: [description] },
  stock: { hasCountry: true, texts: [operator, holder] },
  offer: { hasCountry: true, texts: [] },
  account: { hasCountry: false, texts: [description, account, holder] },
} as const satisfies Record<string, SearchedColumns>

/** A condition on numbers n for a list's search text. A number may be typed in any way that forms take. */
export async function searchCondition(
  db: Db,
  list: keyof typeof lists,
  search: string | undefined,
): Promise<RawBuilder<unknown>> {
  if (search === undefined || search === '') return sql`true`
  const { hasCountry, texts } = lists[list]
  const countries = hasCountry ? await findCountries(db, search) : []
  const found = searchedDigits(search)
  const digits = found === undefined ? [] : [found]
  const terms = [...new Set([searchTermOf(search), ...digits])]
  const conditions = [
    ...digits.map((term) => contains(sql`n.number`, term)),
    ...terms.flatMap((term) => texts.map((text) => contains(text, term))),
    ...(countries.length === 0 ? [] : [sql`n.country = any(${countries}::text[])`]),
  ]
  return anyFound(conditions, sql`n.id`, terms)
}

/** The countries whose names match the search. They are few, so numbers need no index on parts of country names. */
async function findCountries(db: Db, search: string): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from (${namesOf('country')}) names
        where ${textContains(sql`search_text(name)`, sql`1`, search)}`,
  )
  return found.map(({ name }) => name)
}
