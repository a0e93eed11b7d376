// Why messages and binds of a supplier were refused, what it can do about it, and every status in words.
import type { BindRefusalReason, MessageRefusalReason } from '@tollgate/contract/vocabulary.ts'
import { t } from '../../language/t.ts'

export interface ReasonWords {
  readonly what: string
  readonly cure: string
}

export const messageReasons: Readonly<Record<MessageRefusalReason, ReasonWords>> = {
  unknown: {
    what: t('Not one of our numbers, or one that takes no messages now'),
    cure: t('Check the number, or ask support which numbers are yours to send to.'),
  },
  bad_destination: {
    what: t('The destination is no telephone number'),
    cure: t('Send international digits such as 449098790142, or a short code of 3 to 8 digits.'),
  },
  bad_sender: {
    what: t('The source address cannot be taken'),
    cure: t('Send a number, or a name of at most 11 characters without control characters.'),
  },
  throttled: {
    what: t('More messages a second than the account may send'),
    cure: t('Send more slowly and repeat these after a pause, or ask support for more throughput.'),
  },
  window_exceeded: {
    what: t('More unanswered messages in one bind than its window allows'),
    cure: t('Wait for answers before you send on, or ask support for a larger window.'),
  },
  not_permitted: {
    what: t('Commands that this kind of bind does not permit'),
    cure: t('Bind as transmitter or transceiver to send.'),
  },
  malformed: {
    what: t('A field of the PDU has a reserved or impossible value'),
    cure: t('Mend the field that the status names; support can make the account lenient.'),
  },
  unavailable: {
    what: t('Messages could not be stored'),
    cure: t('Send them again: nothing is wrong with them.'),
  },
  rejected: {
    what: t('The message itself could not be stored'),
    cure: t('Do not send it again; ask support with its time and number.'),
  },
}

export const bindReasons: Readonly<Record<BindRefusalReason, ReasonWords>> = {
  wrong_credentials: {
    what: t('The password was wrong'),
    cure: t('Enter the password of your SMPP credentials. If this was not you, tell support the address.'),
  },
  account_not_active: {
    what: t('The account is not active'),
    cure: t('Ask support why.'),
  },
  no_access: {
    what: t('The account has no SMPP access'),
    cure: t('Ask support for SMPP access.'),
  },
  address_not_allowed: {
    what: t('The address is not among the networks of the account'),
    cure: t('Bind from an allowed network, or ask support to add this one.'),
  },
  tls_required: {
    what: t('The account binds over TLS alone'),
    cure: t('Use the TLS port.'),
  },
  too_many_binds: {
    what: t('The account has as many binds as it may have'),
    cure: t('Close a bind that is not used, or ask support for more.'),
  },
  unavailable: {
    what: t('The gateway could not check the bind'),
    cure: t('Bind again in a few seconds.'),
  },
  crowded: {
    what: t('Too many binds of this address waited at once'),
    cure: t('Wait a minute, and leave more time between attempts.'),
  },
}

/** SMPP 3.4 §5.1.3: those that a submit or a bind may be answered with. */
const statuses: Readonly<Record<number, string>> = {
  0x01: t('Message length is invalid'),
  0x02: t('Command length is invalid'),
  0x04: t('Incorrect bind status for the given command'),
  0x05: t('Already in bound state'),
  0x06: t('Invalid priority flag'),
  0x07: t('Invalid registered delivery flag'),
  0x08: t('System error'),
  0x0a: t('Invalid source address'),
  0x0b: t('Invalid destination address'),
  0x0d: t('Bind failed'),
  0x0e: t('Invalid password'),
  0x14: t('Message queue full'),
  0x15: t('Invalid service type'),
  0x33: t('Invalid number of destinations'),
  0x40: t('Destination flag is invalid'),
  0x43: t('Invalid esm_class'),
  0x44: t('Cannot submit to distribution list'),
  0x45: t('Submit failed'),
  0x48: t('Invalid source address TON'),
  0x49: t('Invalid source address NPI'),
  0x50: t('Invalid destination address TON'),
  0x51: t('Invalid destination address NPI'),
  0x54: t('Invalid replace_if_present flag'),
  0x58: t('Throttling error: allowed message limits exceeded'),
  0x61: t('Invalid scheduled delivery time'),
  0x62: t('Invalid message validity period'),
  0x63: t('Predefined message invalid or not found'),
  0xc0: t('Error in the optional part of the PDU body'),
  0xc1: t('Optional parameter not allowed'),
  0xc2: t('Invalid parameter length'),
  0xc3: t('Expected optional parameter missing'),
  0xc4: t('Invalid optional parameter value'),
}

/** What a status means; the server's words for one that is not in the table. */
export function statusWords({ status, statusText }: { status: number; statusText: string }): string {
  return statuses[status] ?? statusText
}

/** As a PDU carries it: 0x0000000B. */
export function hexStatus(status: number): string {
  return `0x${status.toString(16).toUpperCase().padStart(8, '0')}`
}
