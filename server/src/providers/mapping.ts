// Our names in a provider's answer: dot paths, compiled once.
import { defaultMapping, mappingNames, type Mapping } from '@tollgate/contract/providers/providers.ts'

export type Path = readonly string[]
/** An undefined path: rows have no such field; for `records`, the response itself is the list. */
export type Paths = Readonly<Record<keyof Mapping, Path | undefined>>

/** The default mapping with these overrides. */
export function fullMapping(overrides: Partial<Record<keyof Mapping, string | undefined>>): Mapping {
  return Object.fromEntries(
    mappingNames.map((name) => [name, overrides[name] ?? defaultMapping[name]]),
  ) as Record<keyof Mapping, string>
}

export function compileMapping(mapping: Mapping): Paths {
  return Object.fromEntries(
    mappingNames.map((name) => [name, mapping[name] === '' ? undefined : mapping[name].split('.')]),
  ) as Record<keyof Mapping, Path | undefined>
}

/** The value at a path, or undefined. Reads own properties only. */
export function valueAt(root: unknown, path: Path | undefined): unknown {
  if (path === undefined) return undefined
  let value = root
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined
    value = (value as Record<string, unknown>)[name]
  }
  return value
}
