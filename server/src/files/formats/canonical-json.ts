/**
 * JSON text that is the same for equal values: the keys of every object are sorted, since neither JavaScript nor jsonb
 * keeps an order that means anything. For hashes.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
      : part,
  )
}
