// Our names in a provider's answer: dot paths, compiled once.
import { defaultMapping, mappingNames, type Mapping } from '@tollgate/contract/providers/providers.ts'

export type Path = readonly string[]
/** An undefined path: rows have no such field; for `records`, the response itself is the list. */
export type Paths = Readonly<Record<keyof Mapping, Path | undefined>>

/** How a row is read: where its fields are, and the zone of times that name none. */
export interface Reading {
  readonly paths: Paths
  readonly timeZone: string
}

// The fields that decide which row is which: a row with another status is the same one.
const identityNames = ['id', 'timestamp', 'number', 'sender', 'text'] as const

/** A mapping that rows became records under, until it was corrected. */
export interface EarlierReading {
  readonly mapping: Pick<Mapping, (typeof identityNames)[number]>
  readonly timeZone: string
  /** When it was corrected. */
  readonly untilMs: number
}

type MappingOverrides = Partial<Record<keyof Mapping, string | undefined>>

/** The default mapping with these overrides. */
export function fullMapping(overrides: MappingOverrides): Mapping {
  return Object.fromEntries(
    mappingNames.map((name) => [name, overrides[name] ?? defaultMapping[name]]),
  ) as Record<keyof Mapping, string>
}

export function compileMapping(mapping: Mapping): Paths {
  return Object.fromEntries(
    mappingNames.map((name) => [name, mapping[name] === '' ? undefined : mapping[name].split('.')]),
  ) as Record<keyof Mapping, Path | undefined>
}

/** How a provider's rows are read. */
export function readingOf({ mapping, timeZone }: { mapping: MappingOverrides; timeZone: string }): Reading {
  return { paths: compileMapping(fullMapping(mapping)), timeZone }
}

/** Whether a row has the same key under both. */
export function isSameIdentity(one: MappingOverrides, other: MappingOverrides): boolean {
  const [first, second] = [fullMapping(one), fullMapping(other)]
  return identityNames.every((name) => first[name] === second[name])
}

/** What is kept of a mapping that is corrected. */
export function earlierReading(
  { mapping, timeZone }: { mapping: MappingOverrides; timeZone: string },
  untilMs: number,
): EarlierReading {
  const { id, timestamp, number, sender, text } = fullMapping(mapping)
  return { mapping: { id, timestamp, number, sender, text }, timeZone, untilMs }
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
