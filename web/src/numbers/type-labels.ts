import type { NumberType } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

/** Spec §2: the labels of the Number Type filter. */
export const numberTypeLabels: Readonly<Record<NumberType, string>> = {
  premium: t('Premium'),
  standard: t('Standard'),
  'toll-free': t('Toll-Free'),
}
