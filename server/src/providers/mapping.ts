// Our names in a provider's answer: dot paths, compiled once.
import { defaultMapping, mappingNames, type Mapping } from '@tollgate/contract/providers.ts'

export type Path = readonly string[]
/** An undefined path says that they have no such thing; for `records`, that the answer is the list itself. */
export type Paths = Readonly<Record<keyof Mapping, Path | undefined>>

/** The default format, with what is given instead. */
export function fullMapping(given: Partial<Record<keyof Mapping, string | undefined>>): Mapping {
  return Object.fromEntries(
    mappingNames.map((name) => [name, given[name] ?? defaultMapping[name]]),
  ) as Record<keyof Mapping, string>
}

export function compileMapping(mapping: Mapping): Paths {
  return Object.fromEntries(
    mappingNames.map((name) => [name, mapping[name] === '' ? undefined : mapping[name].split('.')]),
  ) as Record<keyof Mapping, Path | undefined>
}

/** What stands at a path; undefined where there is nothing. Looks at an object's own properties alone. */
export function valueAt(root: unknown, path: Path | undefined): unknown {
  if (path === undefined) return undefined
  let value = root
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
