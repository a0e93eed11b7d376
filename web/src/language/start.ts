import type { Language } from '@tollgate/contract/users/preferences.ts'
import type * as hebrew from './he.ts'
import { setReaderFormats } from './reader.ts'
import { setCatalogue } from './t.ts'
import type { FirstChoices } from './choices.ts'

// English needs none: its words are the keys.
const catalogues: Readonly<Partial<Record<Language, () => Promise<typeof hebrew>>>> = {
  he: () => import('./he.ts'),
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
  setCatalogue(words.catalogue, directionOf(language), words.keptSentence)
  document.documentElement.lang = language
  document.documentElement.dir = directionOf(language)
}
