// Finds the columns of a file by the names in its first line, in any order and case.
import { withoutInvisible } from '@tollgate/contract/plain-text.ts'
import { sentence } from '@tollgate/contract/sentences.ts'
import { unreadable } from './faults.ts'

interface ColumnRules {
  /** Columns that the file may lack. */
  readonly optional?: readonly string[]
  /** Columns of other names are skipped; else such a file is refused, so that a mistyped name loses nothing. */
  readonly skipsOthers?: boolean
  /** What programs call a column, the likeliest first; looked for where its own name is not there. */
  readonly otherNames?: Readonly<Record<string, readonly string[]>>
}

/** Makes one name of `Country Code`, `country_code` and `countryCode`, and of those with characters that nobody sees. */
export const plainName = (name: string): string =>
  withoutInvisible(name)
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/g, '')
const shortened = (name: string): string => (name.length > 40 ? `${name.slice(0, 40)}…` : name)

/**
 * The place of each column in a line; -1 for an optional one that is not there. A column without a name is skipped.
 * Throws Refusal invalid that names the column which is unknown, missing, or there twice.
 */
export function placesOf<Name extends string>(
  header: readonly string[],
  names: readonly Name[],
  { optional = [], skipsOthers = false, otherNames = {} }: ColumnRules = {},
): Readonly<Record<Name, number>> {
  const known = names.join(', ')
  const found = header.map(plainName)
  const expected = new Set(names.map(plainName))
  const placeOf = (name: Name): number =>
    [name, ...(otherNames[name] ?? [])]
      .map((each) => found.indexOf(plainName(each)))
      .find((place) => place >= 0) ?? -1
  const isKnown = (name: string): boolean => expected.has(plainName(name))
  // A first line without any known name is probably no header at all.
  if (names.every((name) => placeOf(name) < 0))
    throw unreadable(
      sentence('The first line must name the columns. Known: {known}.', { known }),
      'Unknown header',
    )
  const unknown = header.find((name) => name !== '' && !isKnown(name))
  if (unknown !== undefined && !skipsOthers) {
    const column = shortened(unknown)
    throw unreadable(
      sentence("Column '{column}' is unknown. Known: {known}.", { column, known }),
      sentence("Unknown column '{column}'", { column }),
    )
  }
  const twice = found.findIndex((name, place) => expected.has(name) && found.indexOf(name) !== place)
  if (twice >= 0)
    throw unreadable(
      sentence("Column '{column}' is there twice. Take one of them out.", {
        column: shortened(header[twice] ?? ''),
      }),
      'A column twice',
    )
  const places = names.map((name) => [name, placeOf(name)] as const)
  const missing = places.find(([name, place]) => place < 0 && !optional.includes(name))
  if (missing !== undefined)
    throw unreadable(
      sentence("Column '{column}' is missing. The first line has: {header}.", {
        column: missing[0],
        header: header.join(', ').slice(0, 200),
      }),
      sentence("Missing column '{column}'", { column: missing[0] }),
    )
  return Object.fromEntries(places) as Record<Name, number>
}
