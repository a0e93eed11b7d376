// What the last signed-in person of this browser chose, kept so that the first screen is drawn in it.
import {
  defaultChoices,
  densities,
  languages,
  numberFormats,
  type Language,
  type PreferenceChoices,
} from '@tollgate/contract/users/preferences.ts'
import { isTimeZone } from '@tollgate/contract/zones.ts'

export { themes } from '@tollgate/contract/users/preferences.ts'
export type Theme = PreferenceChoices['theme']
export type Density = PreferenceChoices['density']

/** What must be known before the first screen is drawn. A change of it needs the page anew. */
export type FirstChoices = Pick<PreferenceChoices, 'language' | 'timeZone' | 'numberFormat' | 'density'>

/** Each in its own words, so that whoever changed it by mistake finds the way back. */
export const languageNames: Readonly<Record<Language, string>> = { en: 'English', he: 'עברית' }

const key = 'tollgate.choices'
const chosenKey = 'tollgate.language'

/** The first of the browser's languages that the console has. */
function browserLanguage(): Language {
  const wanted = navigator.languages.map((tag) => tag.toLowerCase().split('-')[0])
  return languages.find((language) => wanted[0] === language) ?? defaultChoices.language
}

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
    language: oneOf(languages, kept.language, browserLanguage()),
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

/** Chooses the language before anybody has signed in. It goes to the account of whoever signs in next. */
export function chooseLanguage(language: Language): void {
  try {
    localStorage.setItem(chosenKey, language)
  } catch {
    // Storage is blocked: this browser shows the default.
    return
  }
  if (keepChoices({ ...readChoices(), language })) window.location.reload()
}

/** The language that was chosen before signing in, once. */
export function takeChosenLanguage(): Language | undefined {
  try {
    const chosen = localStorage.getItem(chosenKey)
    localStorage.removeItem(chosenKey)
    return languages.find((language) => language === chosen)
  } catch {
    return undefined
  }
}
