import type { SubscriberKind } from '@tollgate/contract/subscribers/subscribers.ts'
import { t } from '../language/t.ts'

/** What people call the kinds of what is stored under a number. */
export const kindWords: Readonly<Record<SubscriberKind, string>> = {
  record: t('Messages'),
  longMessage: t('Long messages'),
  refusedMessage: t('Refused messages, by the minute'),
  senderDay: t('Counts by day and number'),
  case: t('Cases that name it'),
  listedSender: t('Entries of the hot list'),
  disputeLine: t('Lines of disputes'),
  disputedRecord: t('Disputed messages'),
  backTestSender: t('Back-tests that name it'),
  sentMessage: t('Messages sent by hand'),
  recordedPdu: t('PDUs of the flight recorder'),
  deadLetter: t('Dead letters of providers'),
}

/** What an erasure changes on this screen. */
export const erasurePaths = ['/api/subscribers/erasures'] as const
