// Finds lists that are in the order of a text where a number or a time is meant.

// `t.xid::text` is called xid, and ORDER BY means what is selected before it means the column of the table.
const castPattern = /(?:\b\w+\.)?"?(\w+)"?::text(?:\s+as\s+"?\1"?)?(?=\s*(?:,|\bfrom\b))/gi

/** The names of columns that are selected as text and that the ORDER BY of the same query names without their table. */
export function orderedByText(statement: string): string[] {
  return queriesOf(statement).flatMap((query) => {
    const order = /\border by\s([^]*)$/i.exec(query)?.[1] ?? ''
    return [...query.matchAll(castPattern)]
      .map(([, name = '']) => name)
      .filter((name) => new RegExp(`(?<![\\w."])"?${name}"?(?![\\w.:"(])`, 'i').test(order))
  })
}

/** Each query alone, those inside it left out. */
function queriesOf(statement: string): string[] {
  const found: string[] = []
  let left = statement
  for (let before = ''; before !== left;) {
    before = left
    left = left.replace(/\(([^()]*)\)/g, (_, inner: string) => {
      found.push(inner)
      return ' _ '
    })
  }
  return [...found, left]
}
