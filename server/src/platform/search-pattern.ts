// What a search box means in SQL. Each list has a text in lower case of all that it looks at, each field after a space
// (audit_search_text and others), and an index of its trigrams.
import { sql, type RawBuilder } from 'kysely'

/** The pattern for `like` and `ilike` that finds `text` anywhere, with its own wildcards taken literally. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * The condition that a search text contains what somebody typed, whatever its case. One or two letters find words that
 * begin with them; anything else is found anywhere. `id` is the row's own, a whole number.
 */
export function textContains(
  searchText: RawBuilder<unknown>,
  id: RawBuilder<unknown>,
  typed: string,
): RawBuilder<unknown> {
  const wanted = /^[a-z]{1,2}$/i.test(typed) ? ` ${typed}` : typed
  // The index knows three characters at a time, the space before a word among them. For less it would be read through,
  // which takes longer than reading the table.
  if (!/[\p{L}\p{N}]{3}|^ /u.test(wanted)) return sql`strpos(${searchText}, lower(${wanted})) > 0`
  // The second condition always holds, and lets the planner expect two hundred times fewer rows. Else it would read a
  // list in its order to find what stands together at the far end of it; what is near was looked at by then
  // (search-page.ts).
  return sql`${searchText} like lower(${containsPattern(wanted)}) and ${id} % 1 = 0`
}
