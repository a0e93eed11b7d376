// The search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { textContains } from '../platform/search-pattern.ts'

// As the indexes name them.
const searchTexts = {
  premium: sql`premium_search_text(n.number, n.country, n.description)`,
  stock: sql`stock_search_text(n.number, n.country, n.operator, n.holder_name)`,
  account: sql`account_search_text(n.number, n.account_number, n.description, n.holder_name)`,
}

/** The search box of a list; a number may be typed with its plus, spaces and dashes. */
export function matches(list: keyof typeof searchTexts, search: string | undefined): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`true`
  const digits = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const contains = (text: string): RawBuilder<unknown> => textContains(searchTexts[list], sql`n.id`, text)
  if (!/^\d+$/.test(digits)) return contains(search)
  if (digits !== search) return sql`((${contains(search)}) or (${contains(digits)}))`
  // No index knows one or two digits. Most that have them have them in the number, and it is quicker to look there.
  return digits.length < 3 ? sql`(strpos(n.number, ${digits}) > 0 or ${contains(digits)})` : contains(digits)
}
