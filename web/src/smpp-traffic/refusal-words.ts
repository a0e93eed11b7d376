// Why messages and binds of a supplier were refused, what it can do about it.
import type { BindRefusalReason, MessageRefusalReason } from '@tollgate/contract/vocabulary.ts'
import { formatWords } from '../format/sentences.ts'
import { t } from '../language/t.ts'

export interface ReasonWords {
  readonly what: string
  readonly fix: string
}

export const messageReasons: Readonly<Record<MessageRefusalReason, ReasonWords>> = {
  unknown: {
    what: t('Not one of our numbers, or one that takes no messages now'),
    fix: t('Check the number, or ask support which numbers are yours to send to.'),
  },
  bad_destination: {
    what: t('The destination is no telephone number'),
    fix: t('Send international digits such as 449098790142, or a short code of 3 to 8 digits.'),
  },
  bad_sender: {
    what: t('The source address cannot be taken'),
    fix: t('Send a number, or a name of at most 11 characters without control characters.'),
  },
  throttled: {
    what: t('More messages a second than the account may send'),
    fix: t('Send more slowly and repeat these after a pause, or ask support for more throughput.'),
  },
  window_exceeded: {
    what: t('More unanswered messages in one bind than its window allows'),
    fix: t('Wait for answers before you send on, or ask support for a larger window.'),
  },
  not_permitted: {
    what: t('Commands that this kind of bind does not permit'),
    fix: t('Bind as transmitter or transceiver to send.'),
  },
  malformed: {
    what: t('A field of the PDU has a reserved or impossible value'),
    fix: t('Fix the field that the status names; support can make the account lenient.'),
  },
  unavailable: {
    what: t('Messages could not be stored'),
    fix: t('Send them again: nothing is wrong with them.'),
  },
  rejected: {
    what: t('The message itself could not be stored'),
    fix: t('Do not send it again; ask support with its time and number.'),
  },
}

export const bindReasons: Readonly<Record<BindRefusalReason, ReasonWords>> = {
  wrong_credentials: {
    what: t('The password was wrong'),
    fix: t('Enter the password of your SMPP credentials. If this was not you, tell support the address.'),
  },
  account_not_active: {
    what: t('The account is not active'),
    fix: t('Ask support why.'),
  },
  no_access: {
    what: t('The account has no SMPP access'),
    fix: t('Ask support for SMPP access.'),
  },
  address_not_allowed: {
    what: t('The address is not among the networks of the account'),
    fix: t('Bind from an allowed network, or ask support to add this one.'),
  },
  tls_required: {
    what: t('The account binds over TLS alone'),
    fix: t('Use the TLS port.'),
  },
  too_many_binds: {
    what: t('The account has as many binds as it may have'),
    fix: t('Close a bind that is not used, or ask support for more.'),
  },
  unavailable: {
    what: t('The gateway could not check the bind'),
    fix: t('Bind again in a few seconds.'),
  },
  crowded: {
    what: t('Too many binds of this address waited at once'),
    fix: t('Wait a minute, and leave more time between attempts.'),
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
