// Hebrew: its words, and what finds the template of a text that was kept in English.
import words from './he.json'
import type { Catalogue } from './t.ts'

export { keptSentence } from '@tollgate/contract/kept-texts.ts'
export const catalogue: Catalogue = words
