// What the last signed-in person of this browser chose, kept so that the first screen is drawn in it.
import {
  defaultChoices,
  densities,
  languages,
  numberFormats,
  type PreferenceChoices,
} from '@tollgate/contract/users/preferences.ts'
import { isTimeZone } from '@tollgate/contract/fields.ts'

export { themes } from '@tollgate/contract/users/preferences.ts'
export type Theme = PreferenceChoices['theme']
export type Density = PreferenceChoices['density']

/** What must be known before the first screen is drawn. A change of it needs the page anew. */
export type FirstChoices = Pick<PreferenceChoices, 'language' | 'timeZone' | 'numberFormat' | 'density'>

const key = 'tollgate.choices'

function oneOf<const Value extends string>(values: readonly Value[], value: unknown, fallback: Value): Value {
  return values.find((known) => known === value) ?? fallback
}

/** The choices as they were kept; the defaults for what is missing or broken. */
export function readChoices(): FirstChoices {
  let kept: Partial<Record<keyof FirstChoices, unknown>> = {}
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    if (typeof stored === 'object' && stored !== null) kept = stored
  } catch {
    // Storage is blocked, or somebody edited it.
  }
  return {
    language: oneOf(languages, kept.language, defaultChoices.language),
    timeZone:
      typeof kept.timeZone === 'string' && isTimeZone(kept.timeZone)
        ? kept.timeZone
        : defaultChoices.timeZone,
    numberFormat: oneOf(numberFormats, kept.numberFormat, defaultChoices.numberFormat),
    density: oneOf(densities, kept.density, defaultChoices.density),
  }
}

/** Keeps the choices. Returns whether they differ from those before, and could be kept. */
export function keepChoices({ language, timeZone, numberFormat, density }: FirstChoices): boolean {
  const before = JSON.stringify(readChoices())
  const next = JSON.stringify({ language, timeZone, numberFormat, density } satisfies FirstChoices)
  if (before === next) return false
  try {
    localStorage.setItem(key, next)
  } catch {
    // Storage is blocked: this browser shows the defaults.
    return false
  }
  return JSON.stringify(readChoices()) === next
}
