// What a search box means in SQL. What a list looks at stands in texts in lower case, each field after a space
// (search_text and others), each text with an index of its trigrams.
import { sql, type RawBuilder } from 'kysely'

/** The pattern for `like` and `ilike` that finds `text` anywhere, with its own wildcards taken literally. */
export function containsPattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/** A text that is searched; `isGiven` where its index leaves out rows that have none. */
export interface SearchText {
  readonly text: RawBuilder<unknown>
  readonly isGiven?: RawBuilder<unknown>
}

/** Rows that are found by what was looked up before. */
export interface KnownMatch {
  readonly holds: RawBuilder<unknown>
}

/** What to look for in a search text: one or two letters find words that begin with them, anything else is found anywhere. */
export function wantedText(typed: string): string {
  return (/^[a-z]{1,2}$/i.test(typed) ? ` ${typed}` : typed).toLowerCase()
}

/**
 * The condition that one of the search texts contains what somebody typed, whatever its case. `id` is the row's own, a
 * whole number.
 */
export function textContains(
  searched: readonly (SearchText | KnownMatch)[],
  id: RawBuilder<unknown>,
  typed: string,
): RawBuilder<unknown> {
  const wanted = wantedText(typed)
  // The index knows three characters at a time, the space before a word among them. For less it would be read through,
  // which takes longer than reading the table.
  if (!/[\p{L}\p{N}]{3}|^ /u.test(wanted)) return anyOf(searched, (text) => contains(text, wanted))
  // The second condition always holds, and lets the planner expect two hundred times fewer rows. Else it would read a
  // list in its order to find what stands together at the far end of it; what is near was looked at by then
  // (search-page.ts).
  const pattern = containsPattern(wanted)
  return sql`${anyOf(searched, (text) => sql`${text} like lower(${pattern})`)} and ${id} % 1 = 0`
}

/** The condition that a search text contains what {@link wantedText} gave, without an index. */
export function contains(text: RawBuilder<unknown>, wanted: string): RawBuilder<unknown> {
  return sql`strpos(${text}, lower(${wanted})) > 0`
}

function anyOf(
  searched: readonly (SearchText | KnownMatch)[],
  isIn: (text: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const parts = searched.map((part) => {
    if ('holds' in part) return part.holds
    const { text, isGiven } = part
    return isGiven === undefined ? isIn(text) : sql`(${isGiven} and ${isIn(text)})`
  })
  return sql`(${sql.join(parts, sql` or `)})`
}
