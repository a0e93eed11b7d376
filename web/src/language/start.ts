import type { Language } from '@tollgate/contract/preferences.ts'
import { setReaderFormats } from './reader.ts'
import { setCatalogue, type Catalogue } from './t.ts'
import type { FirstChoices } from './choices.ts'

// English needs none: its words are the keys.
const catalogues: Readonly<Partial<Record<Language, () => Promise<{ default: Catalogue }>>>> = {
  he: () => import('./he.json'),
}

const rightToLeft: readonly Language[] = ['he']

function directionOf(language: Language): 'ltr' | 'rtl' {
  return rightToLeft.includes(language) ? 'rtl' : 'ltr'
}

/** The direction of this page. */
export function pageDirection(): 'ltr' | 'rtl' {
  return document.documentElement.dir === 'rtl' ? 'rtl' : 'ltr'
}

/** Sets the language, direction, zone and number format of the page. English is shown when the words do not arrive. */
export async function startLanguage({ language, timeZone, numberFormat }: FirstChoices): Promise<void> {
  setReaderFormats({ timeZone, numberFormat })
  const words = await catalogues[language]?.().catch(() => undefined)
  if (words === undefined) return
  setCatalogue(words.default, directionOf(language))
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}
