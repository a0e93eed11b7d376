// What a search box means in SQL. The searchable fields of a row stand in texts in lower case, each field after a space
// (search_text and others). Each such text has a trigram index.
import { sql, type RawBuilder } from 'kysely'

/** The pattern for `like` and `ilike` that finds `text` anywhere, with its own wildcards taken literally. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The pattern for `like` on a text in lower case that begins with `text`, whatever its case. */
export function prefixPattern(text: string): string {
  return `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}

/** A text that is searched. Set `isPresent` where the index leaves out rows without a text. */
export interface SearchText {
  readonly text: RawBuilder<unknown>
  readonly isPresent?: RawBuilder<unknown>
}

/** Rows that an earlier look-up found. */
export interface KnownMatch {
  readonly condition: RawBuilder<unknown>
}

/** The term to look for: one or two letters find words that begin with them, anything else is found anywhere. */
export function searchTermOf(typed: string): string {
  return (/^[a-z]{1,2}$/i.test(typed) ? ` ${typed}` : typed).toLowerCase()
}

/**
 * The condition that one of the search texts contains what somebody typed, in upper or lower case. `id` is the row's own
 * id, a whole number.
 */
export function textContains(
  searched: readonly (SearchText | KnownMatch)[],
  id: RawBuilder<unknown>,
  typed: string,
): RawBuilder<unknown> {
  const term = searchTermOf(typed)
  // A trigram index needs three characters, the space before a word counted. With fewer, the whole index would be read,
  // which takes longer than reading the table.
  if (!/[\p{L}\p{N}]{3}|^ /u.test(term)) return anyOf(searched, (text) => contains(text, term))
  // The second condition is always true. It makes the planner expect two hundred times fewer rows; otherwise it would read
  // a list in its order until it finds matches at its far end. The near rows were searched before (search-page.ts).
  const pattern = containsPattern(term)
  return sql`${anyOf(searched, (text) => sql`${text} like lower(${pattern})`)} and ${id} % 1 = 0`
}

/** The condition that a search text contains a term of {@link searchTermOf}, without an index. */
export function contains(text: RawBuilder<unknown>, term: string): RawBuilder<unknown> {
  return sql`strpos(${text}, lower(${term})) > 0`
}

function anyOf(
  searched: readonly (SearchText | KnownMatch)[],
  isFoundIn: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const conditions = searched.map((each) => {
    if ('condition' in each) return each.condition
    const { text, isPresent } = each
    return isPresent === undefined ? isFoundIn(text) : sql`(${isPresent} and ${isFoundIn(text)})`
  })
  return sql`(${sql.join(conditions, sql` or `)})`
}
