/** The fields whose values differ, before and after, for an audit entry. Lists are compared as texts. */
export function changedFields<T extends object>(before: T, after: T): { was: Partial<T>; is: Partial<T> } {
  const keys = (Object.keys(after) as (keyof T)[]).filter((key) => String(after[key]) !== String(before[key]))
  const pick = (fields: T) => Object.fromEntries(keys.map((key) => [key, fields[key]])) as Partial<T>
  return { was: pick(before), is: pick(after) }
}
