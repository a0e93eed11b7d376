// Why messages were refused, what their sender can do about it, and what staff can.
import type { StaffRefusalReason } from '@tollgate/contract/vocabulary.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

export interface ReasonWords {
  readonly what: string
  readonly fix: string
}

interface MessageReason extends ReasonWords {
  readonly cure: string
}

export const messageReasons: Readonly<Record<StaffRefusalReason, MessageReason>> = {
  unknown: {
    what: t('Not one of our numbers, or one that takes no messages now'),
    fix: t('Check the number, or ask support which numbers are yours to send to.'),
    cure: t('Add the number, activate it, or tell the supplier that it is not ours.'),
  },
  suspended: {
    what: t('The number is suspended'),
    fix: t('Check the number, or ask support which numbers are yours to send to.'),
    cure: t('Activate the number, and ask the supplier to send it again.'),
  },
  bad_destination: {
    what: t('The destination is no telephone number'),
    fix: t('Send international digits such as 449098790142, or a short code of 3 to 8 digits.'),
    cure: t('Tell the supplier to send international digits, or a short code of 3 to 8 digits.'),
  },
  bad_sender: {
    what: t('The source address cannot be taken'),
    fix: t('Send a number, or a name of at most 11 characters without control characters.'),
    cure: t('Tell the supplier, or make its account lenient.'),
  },
  throttled: {
    what: t('More messages a second than the account may send'),
    fix: t('Send more slowly and repeat these after a pause, or ask support for more throughput.'),
    cure: t('The supplier sends these again after a pause. Its account can be given more throughput.'),
  },
  window_exceeded: {
    what: t('More unanswered messages in one bind than its window allows'),
    fix: t('Wait for answers before you send on, or ask support for a larger window.'),
    cure: t('The supplier sends these again after an answer. Its account can be given a larger window.'),
  },
  not_permitted: {
    what: t('Commands that this kind of bind does not permit'),
    fix: t('Bind as transmitter or transceiver to send.'),
    cure: t('Tell the supplier to bind as transmitter or transceiver.'),
  },
  malformed: {
    what: t('A field of the PDU has a reserved or impossible value'),
    fix: t('Fix the field that the status names; support can make the account lenient.'),
    cure: t('The status names the field. The account can be made lenient.'),
  },
  unavailable: {
    what: t('Messages could not be stored'),
    fix: t('Send them again: nothing is wrong with them.'),
    cure: t('Nothing is wrong with them: whoever sent them sends them again.'),
  },
  rejected: {
    what: t('The message itself could not be stored'),
    fix: t('Do not send it again; ask support with its time and number.'),
    cure: t('Sending it again does not help. The log of that time says why.'),
  },
}

/** What a status means. Its code stands beside it. */
export function statusWords(statusText: string): string {
  return formatWords(statusText.replace(/ \(0x[0-9A-F]+\)$/, ''))
}

/** As a PDU carries it: 0x0000000B. */
export function hexStatus(status: number): string {
  return `0x${status.toString(16).toUpperCase().padStart(8, '0')}`
}
