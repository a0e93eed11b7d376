// Which slice writes which table, as its SQL says.

const writePattern =
  /\b(?:insert\s+into|copy|merge\s+into|delete\s+from|truncate(?:\s+table)?)\s+"?([a-z_]+)|\bupdate\s+(?:only\s+)?([a-z_]+)(?:\s+(?:as\s+)?\w+)?\s+set\b|\b(?:insertInto|updateTable|deleteFrom|mergeInto)\('(\w+)'/gi

/** Table to the slices that write it. `files` is code that ships: path from the root to text. */
export function writersOf(
  files: Iterable<readonly [path: string, text: string]>,
  tables: ReadonlySet<string>,
): Map<string, Set<string>> {
  const writers = new Map<string, Set<string>>()
  for (const [path, text] of files) {
    const slice = /^server\/src\/([^/]+)\//.exec(path)?.[1]
    if (slice === undefined) continue
    for (const match of text.matchAll(writePattern)) {
      const table = (match[1] ?? match[2] ?? match[3] ?? '').toLowerCase()
      if (tables.has(table)) writers.set(table, (writers.get(table) ?? new Set()).add(slice))
    }
  }
  return writers
}
