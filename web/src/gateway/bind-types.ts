import type { BindType } from '@tollgate/contract/vocabulary.ts'
import { t } from '../language/t.ts'

/** The types of binds as screens name them. */
export const bindTypeLabels: Readonly<Record<BindType, string>> = {
  transmitter: t('Transmitter'),
  receiver: t('Receiver'),
  transceiver: t('Transceiver'),
}
