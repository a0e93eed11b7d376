// What a search box means in SQL. The searchable fields of a row stand in texts in lower case, each field after a space
// (search_text and others). Each such text is in a trigram index.
import { sql, type RawBuilder } from 'kysely'

/** The pattern for `like` and `ilike` that finds `text` anywhere, with its own wildcards taken literally. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** The pattern for `like` on a text in lower case that begins with `text`, whatever its case. */
export function prefixPattern(text: string): string {
  return `${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}

/** The term to look for: one or two letters find words that begin with them, anything else is found anywhere. */
export function searchTermOf(typed: string): string {
  return (/^[a-z]{1,2}$/i.test(typed) ? ` ${typed}` : typed).toLowerCase()
}

/** The condition that a search text contains what somebody typed, in upper or lower case. `id` is the row's own id, a whole number. */
export function textContains(
  text: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  typed: string,
): RawBuilder<unknown> {
  const term = searchTermOf(typed)
  return anyFound([contains(text, term)], id, [term])
}

/** The condition that a search text contains a term of {@link searchTermOf}. */
export function contains(text: RawBuilder<unknown>, term: string): RawBuilder<unknown> {
  return isIndexed(term)
    ? sql`${text} like lower(${containsPattern(term)})`
    : sql`strpos(${text}, lower(${term})) > 0`
}

/**
 * The condition that one of these is true, which look for the terms. `id` is the row's own id, a whole number: the second
 * condition is always true, and makes the planner expect two hundred times fewer rows; otherwise it would read a list in its
 * order until it finds matches at its far end. The near rows were searched before (search-page.ts).
 */
export function anyFound(
  conditions: readonly RawBuilder<unknown>[],
  id: RawBuilder<unknown>,
  terms: readonly string[],
): RawBuilder<unknown> {
  const found = conditions.length === 0 ? sql`false` : sql`(${sql.join(conditions, sql` or `)})`
  return terms.every(isIndexed) ? sql`${found} and ${id} % 1 = 0` : found
}

/**
 * Whether a trigram index finds a term: it needs three characters, the space before a word counted. With fewer, the whole
 * index would be read, which takes longer than reading the table.
 */
function isIndexed(term: string): boolean {
  return /[\p{L}\p{N}]{3}|^ /u.test(term)
}
