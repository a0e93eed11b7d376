// The search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { textContains } from '../platform/search-pattern.ts'

// Each with an index of its own. An import writes every field once, and no list finds what another one shows.
const number = { text: sql`search_text(n.number)` }
const country = { text: sql`search_text(n.country)` }
const description = { text: sql`search_text(n.description)` }
const operator = { text: sql`search_text(n.operator)`, isGiven: sql`n.operator <> ''` }
const account = { text: sql`search_text(n.account_number)`, isGiven: sql`n.account_number is not null` }
const holder = { text: sql`search_text(n.holder_name)`, isGiven: sql`n.holder_name <> ''` }

const searched = {
  premium: [number, country, description],
  stock: [number, country, operator, holder],
  account: [number, account, description, holder],
}

/** The search box of a list; a number may be typed with its plus, spaces and dashes. */
export function matches(list: keyof typeof searched, search: string | undefined): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`true`
  const digits = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const contains = (text: string): RawBuilder<unknown> => textContains(searched[list], sql`n.id`, text)
  if (!/^\d+$/.test(digits)) return contains(search)
  if (digits !== search) return sql`((${contains(search)}) or (${contains(digits)}))`
  // No index knows one or two digits. Most that have them have them in the number, and it is quicker to look there.
  return digits.length < 3 ? sql`(strpos(n.number, ${digits}) > 0 or ${contains(digits)})` : contains(digits)
}
