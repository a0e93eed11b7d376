// The conditions behind the search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { contains, textContains, searchTermOf, type SearchText } from '../../http/lists/search-pattern.ts'
import { namesOf } from '../views.ts'
import type { NumberDirectory } from './number-directory.ts'

// These columns have their own index; digits and descriptions are searched in memory. Each list searches only the columns
// that it shows.
const operator = { text: sql`search_text(n.operator)`, isPresent: sql`n.operator <> ''` }
const account = { text: sql`search_text(n.account_number)`, isPresent: sql`n.account_number is not null` }
const holder = { text: sql`search_text(n.holder_name)`, isPresent: sql`n.holder_name <> ''` }

interface SearchedColumns {
  readonly hasDescription: boolean
  readonly hasCountry: boolean
  readonly texts: readonly SearchText[]
}

const lists = {
  premium: { hasDescription: true, hasCountry: true, texts: [] },
  stock: { hasDescription: false, hasCountry: true, texts: [operator, holder] },
  offer: { hasDescription: false, hasCountry: true, texts: [] },
  account: { hasDescription: true, hasCountry: false, texts: [account, holder] },
} as const satisfies Record<string, SearchedColumns>

// With more matches than this the condition is not a list of ids: a page in the list's order finds enough matches soon.
const idsMax = 20_000

export interface SearchDeps {
  readonly db: Db
  readonly directory: NumberDirectory
}

/** A condition on numbers n for a list's search text. A number may be typed with plus, spaces and dashes. */
export async function searchCondition(
  { db, directory }: SearchDeps,
  list: keyof typeof lists,
  search: string | undefined,
): Promise<RawBuilder<unknown>> {
  if (search === undefined || search === '') return sql`true`
  const { hasDescription, hasCountry, texts } = lists[list]
  const [countries] = await Promise.all([hasCountry ? findCountries(db, search) : [], directory.catchUp()])
  const bare = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const digits = /^\d+$/.test(bare) ? bare : undefined
  const found = [
    ...(digits === undefined ? [] : [hasDigits(directory, digits)]),
    ...(hasDescription ? [isDescribedBy(directory, search)] : []),
    ...(countries.length === 0 ? [] : [sql`n.country = any(${countries}::text[])`]),
  ].map((condition) => ({ condition }))
  const searched = [...found, ...texts]
  const typed = searched.length === 0 ? sql`false` : textContains(searched, sql`n.id`, search)
  if (digits === undefined || digits === search) return typed
  const bared = hasDescription ? [{ condition: isDescribedBy(directory, digits) }] : []
  const others = [...bared, ...texts]
  return others.length === 0 ? typed : sql`((${typed}) or ${textContains(others, sql`n.id`, digits)})`
}

function hasDigits(directory: NumberDirectory, digits: string): RawBuilder<unknown> {
  return isAmong(directory.containing(digits, idsMax), sql`strpos(n.number, ${digits}) > 0`)
}

function isDescribedBy(directory: NumberDirectory, typed: string): RawBuilder<unknown> {
  const text = searchTermOf(typed)
  return isAmong(directory.describedBy(text, idsMax), contains(sql`search_text(n.description)`, text))
}

/** The condition that a number is one of these ids; with more than {@link idsMax}, the equivalent condition `otherwise`. */
function isAmong(ids: readonly number[], otherwise: RawBuilder<unknown>): RawBuilder<unknown> {
  return ids.length <= idsMax ? sql`n.id = any(${[...ids]}::int[])` : otherwise
}

/** The countries whose names match the search. They are few, so numbers need no index on parts of country names. */
async function findCountries(db: Db, search: string): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from (${namesOf('country')}) names
        where ${textContains([{ text: sql`search_text(name)` }], sql`1`, search)}`,
  )
  return found.map(({ name }) => name)
}
