// Finds the columns of a file by the names in its first line, in any order and case.
import { unreadable } from './faults.ts'

interface ColumnRules {
  /** Columns that the file may lack. */
  readonly optional?: readonly string[]
  /** Columns of other names are skipped; else such a file is refused, so that a mistyped name loses nothing. */
  readonly skipsOthers?: boolean
}

/** `Country Code`, `country_code` and `countryCode` are one name. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[\s_-]+/g, '')
const quoted = (name: string): string => `'${name.length > 40 ? `${name.slice(0, 40)}…` : name}'`

/**
 * The place of each column in a line; -1 for an optional one that is not there. A column without a name is skipped.
 * Throws Refusal invalid that names the column which is unknown, missing, or there twice.
 */
export function placesOf<Name extends string>(
  header: readonly string[],
  names: readonly Name[],
  { optional = [], skipsOthers = false }: ColumnRules = {},
): Readonly<Record<Name, number>> {
  const known = `Known: ${names.join(', ')}.`
  const found = header.map(plain)
  const wanted = new Set(names.map(plain))
  const isKnown = (name: string): boolean => wanted.has(plain(name))
  // A first line without any known name is probably no header at all.
  if (!header.some(isKnown))
    throw unreadable(`The first line must name the columns. ${known}`, 'Unknown header')
  const unknown = header.find((name) => name !== '' && !isKnown(name))
  if (unknown !== undefined && !skipsOthers)
    throw unreadable(`Column ${quoted(unknown)} is unknown. ${known}`, `Unknown column ${quoted(unknown)}`)
  const twice = found.findIndex((name, place) => wanted.has(name) && found.indexOf(name) !== place)
  if (twice >= 0)
    throw unreadable(
      `Column ${quoted(header[twice] ?? '')} is there twice. Take one of them out.`,
      'A column twice',
    )
  const places = names.map((name) => [name, found.indexOf(plain(name))] as const)
  const missing = places.find(([name, place]) => place < 0 && !optional.includes(name))
  if (missing !== undefined)
    throw unreadable(
      `Column ${quoted(missing[0])} is missing. The first line has: ${header.join(', ').slice(0, 200)}.`,
      `Missing column ${quoted(missing[0])}`,
    )
  return Object.fromEntries(places) as Record<Name, number>
}
