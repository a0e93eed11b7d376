import type { NumberType } from '@tollgate/contract/vocabulary.ts'

/** Spec §2: the labels of the Number Type filter. */
export const numberTypeLabels: Readonly<Record<NumberType, string>> = {
  premium: 'Premium',
  standard: 'Standard',
  'toll-free': 'Toll-Free',
}
