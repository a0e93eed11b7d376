// The search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { rows, type Db } from '../platform/db.ts'
import { textContains } from '../platform/search-pattern.ts'
import { namesOf } from './views.ts'

// Each with an index of its own. An import writes every field once, and no list finds what another one shows.
const number = { text: sql`search_text(n.number)` }
const description = { text: sql`search_text(n.description)` }
const operator = { text: sql`search_text(n.operator)`, isGiven: sql`n.operator <> ''` }
const account = { text: sql`search_text(n.account_number)`, isGiven: sql`n.account_number is not null` }
const holder = { text: sql`search_text(n.holder_name)`, isGiven: sql`n.holder_name <> ''` }

const searched = {
  premium: [number, description],
  stock: [number, operator, holder],
  account: [number, account, description, holder],
}

/**
 * The search box of a list; a number may be typed with its plus, spaces and dashes. `countries` are those that
 * {@link findCountries} gave, where the list shows countries.
 */
export function matches(
  list: keyof typeof searched,
  search: string | undefined,
  countries: readonly string[] = [],
): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`true`
  const ofCountry = { holds: sql`n.country = any(${[...countries]}::text[])` }
  const fields = countries.length === 0 ? searched[list] : [...searched[list], ofCountry]
  const contains = (text: string): RawBuilder<unknown> => textContains(fields, sql`n.id`, text)
  const digits = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  if (!/^\d+$/.test(digits)) return contains(search)
  if (digits !== search) return sql`((${contains(search)}) or (${contains(digits)}))`
  // No index knows one or two digits. Most that have them have them in the number, and it is quicker to look there.
  return digits.length < 3 ? sql`(strpos(n.number, ${digits}) > 0 or ${contains(digits)})` : contains(digits)
}

/** The countries of numbers that a search may mean. They are few: an index of their letters for every number is not needed. */
export async function findCountries(db: Db, search: string | undefined): Promise<string[]> {
  if (search === undefined || search === '') return []
  const found = await rows<{ name: string }>(
    db,
    sql`select name from (${namesOf('country')}) names
        where ${textContains([{ text: sql`search_text(name)` }], sql`1`, search)}`,
  )
  return found.map(({ name }) => name)
}
