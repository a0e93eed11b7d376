// The search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { textContains } from '../platform/search-pattern.ts'

// Each with an index of its own. An import writes every field once, and no list finds what another one shows.
const searched = {
  premium: ['number', 'country', 'description'],
  stock: ['number', 'country', 'operator', 'holder_name'],
  account: ['number', 'account_number', 'description', 'holder_name'],
}

/** The search box of a list; a number may be typed with its plus, spaces and dashes. */
export function matches(list: keyof typeof searched, search: string | undefined): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`true`
  const digits = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const searchTexts = searched[list].map((field) => sql`search_text(n.${sql.ref(field)})`)
  const contains = (text: string): RawBuilder<unknown> => textContains(searchTexts, sql`n.id`, text)
  if (!/^\d+$/.test(digits)) return contains(search)
  if (digits !== search) return sql`((${contains(search)}) or (${contains(digits)}))`
  // No index knows one or two digits. Most that have them have them in the number, and it is quicker to look there.
  return digits.length < 3 ? sql`(strpos(n.number, ${digits}) > 0 or ${contains(digits)})` : contains(digits)
}
