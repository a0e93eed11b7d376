// What the console says, in the language of its reader. English is the key, so that the code reads as the screen does.
import type { Sentence } from '@tollgate/contract/sentences.ts'

/** From the English words to those of another language. */
export type Catalogue = Readonly<Record<string, string>>

/** What stands in the places of a text. What React would not show is nothing here too. */
export type TextValues = Readonly<Record<string, string | number | boolean | null | undefined>>

let catalogue: Catalogue = {}
let isRightToLeft = false

/** The sentence that a text was made of which was kept in English; readers of English need none. */
export let keptSentence: (text: string) => Sentence | undefined = () => undefined

/** Sets the words of another language, before any part of the console is loaded: constants look their words up at once. */
export function setCatalogue(
  words: Catalogue,
  direction: 'ltr' | 'rtl' = 'ltr',
  findKept: typeof keptSentence = () => undefined,
): void {
  catalogue = words
  keptSentence = findKept
  isRightToLeft = direction === 'rtl'
}

/**
 * These English words in the language of the reader, or as they are when the catalogue lacks them. A `{name}` in them is
 * replaced by the value of that name; what React would not show (undefined, false) is nothing here too.
 */
export function t(english: string, values?: TextValues): string {
  const words = Object.hasOwn(catalogue, english) ? (catalogue[english] ?? english) : english
  if (!values) return words
  return words.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = name in values ? values[name] : whole
    return typeof value === 'string' || typeof value === 'number' ? isolated(String(value)) : ''
  })
}

/** Sentences that are said together, with a space between them; false and '' are left out. */
export const joined = (...sentences: readonly (string | false | undefined)[]): string =>
  sentences.filter(Boolean).join(' ')

/** LRI and PDI keep a sign before its figure, where words run from right to left: "+1.50", never "1.50+". */
export const leftToRight = (figure: string): string => within('\u2066', figure)

/** FSI and PDI keep the order of a value's own characters: +44 909 would turn round between words from right to left. */
const isolated = (value: string): string => within('\u2068', value)

const within = (start: string, text: string): string =>
  isRightToLeft && text !== '' ? `${start}${text}\u2069` : text
