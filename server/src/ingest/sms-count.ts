// How many SMS a message counts as (decision 64): the tariff and what the client earns are taken so many times.
import { countSms } from '@tollgate/smpp/text/sms-count.ts'
import { hasUdh, isSmeAcknowledgement } from '@tollgate/smpp/values/esm-class.ts'
import { recordFlags, type IngestMessage } from './message.ts'

// SMPP 3.4 §5.2.21. A segment is longer only in message_payload, where it cannot be one SMS.
const segmentOctetsMax = 254

/** How many SMS a message counts as. A source without PDUs says itself what one is. */
export function smsCountOf(
  { dataCoding, esmClass, body, defaultAlphabet, sent, flags }: IngestMessage,
  isSegment: boolean,
): number {
  // A text with a header is a message, whatever its type says: only a bare acknowledgement is none.
  if ((isSmeAcknowledgement(esmClass) && !hasUdh(esmClass)) || (flags & recordFlags.test) !== 0) return 0
  if (sent === undefined || (isSegment && body.length <= segmentOctetsMax)) return 1
  return countSms({ dataCoding, esmClass }, body, defaultAlphabet)
}
