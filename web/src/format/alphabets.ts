import { defaultAlphabets, type DefaultAlphabetName } from '@tollgate/contract/vocabulary.ts'

/** The alphabets of data_coding 0 as screens name them. */
export const alphabetLabels: Readonly<Record<DefaultAlphabetName, string>> = {
  gsm7: 'GSM 7-bit',
  packed7: 'GSM 7-bit, packed',
  latin1: 'Latin-1',
  ascii: 'ASCII',
  utf8: 'UTF-8',
}

/** The choices of a field for an alphabet of data_coding 0. */
export const alphabetOptions = defaultAlphabets.map((value) => ({ value, label: alphabetLabels[value] }))
