// The search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { rows, type Db } from '../../platform/db.ts'
import { contains, textContains, wantedText, type SearchText } from '../../platform/lists/search-pattern.ts'
import { namesOf } from '../views.ts'
import type { NumberDirectory } from './number-directory.ts'

// These have an index of their own; numbers and descriptions are in memory. No list finds what another one shows.
const operator = { text: sql`search_text(n.operator)`, isGiven: sql`n.operator <> ''` }
const account = { text: sql`search_text(n.account_number)`, isGiven: sql`n.account_number is not null` }
const holder = { text: sql`search_text(n.holder_name)`, isGiven: sql`n.holder_name <> ''` }

interface Searched {
  readonly hasDescription: boolean
  readonly hasCountry: boolean
  readonly texts: readonly SearchText[]
}

const lists = {
  premium: { hasDescription: true, hasCountry: true, texts: [] },
  stock: { hasDescription: false, hasCountry: true, texts: [operator, holder] },
  account: { hasDescription: true, hasCountry: false, texts: [account, holder] },
} as const satisfies Record<string, Searched>

// What more numbers have is not looked up by their ids: a list in its order meets it soon.
const idsMost = 20_000

/** What a search needs. */
export interface MatchSurroundings {
  readonly db: Db
  readonly directory: NumberDirectory
}

/** The search box of a list: a condition on numbers n. A number may be typed with its plus, spaces and dashes. */
export async function matches(
  { db, directory }: MatchSurroundings,
  list: keyof typeof lists,
  search: string | undefined,
): Promise<RawBuilder<unknown>> {
  if (search === undefined || search === '') return sql`true`
  const { hasDescription, hasCountry, texts } = lists[list]
  const [countries] = await Promise.all([hasCountry ? findCountries(db, search) : [], directory.reach()])
  const bare = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const digits = /^\d+$/.test(bare) ? bare : undefined
  const found = [
    ...(digits === undefined ? [] : [hasDigits(directory, digits)]),
    ...(hasDescription ? [isDescribedBy(directory, search)] : []),
    ...(countries.length === 0 ? [] : [sql`n.country = any(${countries}::text[])`]),
  ].map((holds) => ({ holds }))
  const typed = textContains([...found, ...texts], sql`n.id`, search)
  if (digits === undefined || digits === search) return typed
  const bared = hasDescription ? [{ holds: isDescribedBy(directory, digits) }] : []
  return sql`((${typed}) or ${textContains([...bared, ...texts], sql`n.id`, digits)})`
}

function hasDigits(directory: NumberDirectory, digits: string): RawBuilder<unknown> {
  return isAmong(directory.containing(digits, idsMost), sql`strpos(n.number, ${digits}) > 0`)
}

function isDescribedBy(directory: NumberDirectory, typed: string): RawBuilder<unknown> {
  const wanted = wantedText(typed)
  return isAmong(directory.describedBy(wanted, idsMost), contains(sql`search_text(n.description)`, wanted))
}

/** The condition that a number is one of those found; `otherwise` says the same, for more than can be told. */
function isAmong(ids: readonly number[], otherwise: RawBuilder<unknown>): RawBuilder<unknown> {
  return ids.length <= idsMost ? sql`n.id = any(${[...ids]}::int[])` : otherwise
}

/** The countries of numbers that a search may mean. They are few: an index of their letters for every number is not needed. */
async function findCountries(db: Db, search: string): Promise<string[]> {
  const found = await rows<{ name: string }>(
    db,
    sql`select name from (${namesOf('country')}) names
        where ${textContains([{ text: sql`search_text(name)` }], sql`1`, search)}`,
  )
  return found.map(({ name }) => name)
}
