// The deliver_sm that carries a record to its client, or a receipt to its supplier (SMPP 3.4 §4.6, Appendix B).
import type { RecordStatus } from '@tollgate/contract/vocabulary.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import type { SendBody } from '@tollgate/smpp/session/handlers.ts'
import { formatReceipt, stateWords, type StateWord } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { esmClass } from '@tollgate/smpp/values/esm-class.ts'
import { messageIdOf, type RawMessage } from '../../records/index.ts'
import { destinationDigits, shownSender } from '../message/address.ts'
import type { ReceiptFacts } from './store.ts'

export interface Outgoing {
  readonly body: SendBody<'deliver_sm'>
  /** It needs a TLV for its text, which a peer older than SMPP 3.4 never gets (§3.4.2). */
  readonly needsTlvs: boolean
}

// §5.2.21: a longer text goes as message_payload.
const shortMessageOctetsMax = 254
const addressCharactersMax = 20
// What the sender set for itself, such as the message mode, ends with us; the text's header and reply path stay.
const keptEsmClass = esmClass.udhIndicator | esmClass.replyPath

/** A record as it came: text, header and coding untouched, addresses in one form. */
export function outgoingRecord(raw: RawMessage): Outgoing {
  const needsTlvs = raw.body.length > shortMessageOctetsMax
  const octets = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength)
  return {
    needsTlvs,
    body: {
      ...sourceOf(shownSender(raw.sourceAddress) ?? ''),
      ...destinationOf(destinationDigits(raw.destinationAddress) ?? raw.destinationAddress),
      esmClass: raw.esmClass & keptEsmClass,
      dataCoding: raw.dataCoding,
      ...(needsTlvs ? { tlvs: [makeTlv(tags.messagePayload, octets)] } : { shortMessage: octets }),
    },
  }
}

const words: Readonly<Record<RecordStatus, StateWord>> = {
  pending: 'ENROUTE',
  in_progress: 'ENROUTE',
  completed: 'DELIVRD',
  reported: 'DELIVRD',
  failed: 'UNDELIV',
  no_report: 'EXPIRED',
}

/** The receipt of a record: from its destination to its sender. The text stays unquoted. */
export function outgoingReceipt(facts: ReceiptFacts): Outgoing {
  const status = recordStatuses[facts.status] ?? 'pending'
  const state = words[status]
  const id = messageIdOf({ createdAtMs: facts.createdAt.getTime(), recordId: Number(facts.recordId) })
  const text = formatReceipt({
    id,
    deliveredCount: state === 'DELIVRD' ? 1 : 0,
    submittedAt: facts.createdAt,
    doneAt: facts.updatedAt,
    state,
    errorCode: state === 'DELIVRD' ? 0 : 1,
  })
  return {
    needsTlvs: false,
    body: {
      ...sourceOf(facts.number),
      ...destinationOf(facts.sender),
      esmClass: esmClass.deliveryReceipt,
      shortMessage: Buffer.from(text, 'latin1'),
      // A peer of an older version gets the text alone: the library leaves TLVs out towards it.
      tlvs: [makeTlv(tags.receiptedMessageId, id), makeTlv(tags.messageState, stateWords[state])],
    },
  }
}

// §5.2.5, §5.2.6: a number is international in the E.164 plan, a name alphanumeric in none.
function kindOf(address: string): { ton: number; npi: number } {
  if (address === '') return { ton: 0, npi: 0 }
  return /^\d+$/.test(address) ? { ton: 1, npi: 1 } : { ton: 5, npi: 0 }
}

function sourceOf(address: string) {
  const { ton, npi } = kindOf(address)
  return { sourceAddrTon: ton, sourceAddrNpi: npi, sourceAddr: fitting(address) }
}

function destinationOf(address: string) {
  const { ton, npi } = kindOf(address)
  return { destAddrTon: ton, destAddrNpi: npi, destinationAddr: fitting(address) }
}

/** Only Latin-1 has a place in a C-octet string, and no more than 20 of it (§5.2.8). */
function fitting(address: string): string {
  return address.replace(/[^\x20-\x7e]/gu, '?').slice(0, addressCharactersMax)
}
