import { defaultAlphabets, type DefaultAlphabetName } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

/** The alphabets of data_coding 0 as screens name them. */
export const alphabetLabels: Readonly<Record<DefaultAlphabetName, string>> = {
  gsm7: t('GSM 7-bit'),
  packed7: t('GSM 7-bit, packed'),
  latin1: t('Latin-1'),
  ascii: t('ASCII'),
  utf8: t('UTF-8'),
}

/** The choices of a field for an alphabet of data_coding 0. */
export const alphabetOptions = defaultAlphabets.map((value) => ({ value, label: alphabetLabels[value] }))
