// The search boxes of the lists of numbers.
import { sql, type RawBuilder } from 'kysely'
import { containsPattern } from '../platform/search-pattern.ts'

/**
 * A search box over the named columns, none of them null; a number may be typed with its plus, spaces and dashes. One
 * or two letters find words that begin with them; anything else is found anywhere.
 */
export function matches(
  search: string | undefined,
  columns: readonly RawBuilder<unknown>[],
): RawBuilder<unknown> {
  if (search === undefined || search === '') return sql`true`
  const beginning = /^[a-z]{1,2}$/i.test(search)
  const wanted = beginning ? ` ${search}` : search
  const digits = search.replace(/[\s\-.()]/g, '').replace(/^\+|^00/, '')
  const looked = sql`lower(${sql.join([sql`''`, ...columns], sql` || ${beginning ? ' ' : '\n'}::text || `)})`
  const near = [isNear(wanted)]
  const exact = [sql`strpos(${looked}, lower(${wanted})) > 0`]
  if (/^\d+$/.test(digits) && digits !== search) {
    near.push(isNear(digits))
    exact.push(sql`strpos(n.number, ${digits}) > 0`)
  }
  // search_text holds more than this list looks at: its index finds the few rows that may match, or tells that many do.
  return sql`(${sql.join(near, sql` or `)}) and (${sql.join(exact, sql` or `)})`
}

function isNear(text: string): RawBuilder<unknown> {
  // The index knows three characters at a time, the space before a word among them. For less it would be read through,
  // which takes longer than reading the table.
  return /[\p{L}\p{N}]{3}|^ [a-z]/iu.test(text)
    ? sql`n.search_text like lower(${containsPattern(text)})`
    : sql`strpos(n.search_text, lower(${text})) > 0`
}
