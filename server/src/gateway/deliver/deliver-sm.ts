// Builds the deliver_sm that carries a record to its client, or a receipt to its supplier (SMPP 3.4 §4.6, Appendix B).
import type { RecordStatus } from '@tollgate/contract/vocabulary.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import type { SendBody } from '@tollgate/smpp/session/session-types.ts'
import { formatReceipt, stateNames, type StateName } from '@tollgate/smpp/text/receipt.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { esmClass } from '@tollgate/smpp/values/esm-class.ts'
import { messageIdOf, type RawMessage } from '../../records/index.ts'
import { destinationDigits, displaySourceAddress } from '../message/address.ts'
import type { ReceiptFacts } from './store.ts'

export interface DeliverSm {
  readonly body: SendBody<'deliver_sm'>
  /** Its text needs a TLV, which a peer older than SMPP 3.4 must never get (§3.4.2). */
  readonly needsTlvs: boolean
}

// §5.2.21: a longer text goes as message_payload.
const shortMessageOctetsMax = 254
const addressCharactersMax = 20
// Bits that concern only the supplier's hop, such as the message mode, are removed; the UDH flag and reply path stay.
const keptEsmClass = esmClass.udhIndicator | esmClass.replyPath

/** The deliver_sm of a record: text, header and coding unchanged, addresses normalised. */
export function recordDeliverSm(raw: RawMessage): DeliverSm {
  const needsTlvs = raw.body.length > shortMessageOctetsMax
  const octets = Buffer.from(raw.body.buffer, raw.body.byteOffset, raw.body.byteLength)
  return {
    needsTlvs,
    body: {
      ...sourceOf(displaySourceAddress(raw.sourceAddress) ?? ''),
      ...destinationOf(destinationDigits(raw.destinationAddress) ?? raw.destinationAddress),
      esmClass: raw.esmClass & keptEsmClass,
      dataCoding: raw.dataCoding,
      ...(needsTlvs ? { tlvs: [makeTlv(tags.messagePayload, octets)] } : { shortMessage: octets }),
    },
  }
}

const receiptStates: Readonly<Record<RecordStatus, StateName>> = {
  pending: 'ENROUTE',
  in_progress: 'ENROUTE',
  completed: 'DELIVRD',
  reported: 'DELIVRD',
  failed: 'UNDELIV',
  no_report: 'EXPIRED',
}

/** The deliver_sm of a record's receipt, from its destination to its source address. It does not quote the text. */
export function receiptDeliverSm(facts: ReceiptFacts): DeliverSm {
  const status = recordStatuses[facts.status] ?? 'pending'
  const state = receiptStates[status]
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
      // For a peer of an older version the SMPP library omits the TLVs.
      tlvs: [makeTlv(tags.receiptedMessageId, id), makeTlv(tags.messageState, stateNames[state])],
    },
  }
}

// §5.2.5, §5.2.6: a number is international (1) in the E.164 plan (1); a name is alphanumeric (5) without a plan (0).
function tonAndNpiOf(address: string): { ton: number; npi: number } {
  if (address === '') return { ton: 0, npi: 0 }
  return /^\d+$/.test(address) ? { ton: 1, npi: 1 } : { ton: 5, npi: 0 }
}

function sourceOf(address: string) {
  const { ton, npi } = tonAndNpiOf(address)
  return { sourceAddrTon: ton, sourceAddrNpi: npi, sourceAddr: asCOctets(address) }
}

function destinationOf(address: string) {
  const { ton, npi } = tonAndNpiOf(address)
  return { destAddrTon: ton, destAddrNpi: npi, destinationAddr: asCOctets(address) }
}

/** An address field contains at most 20 characters (§5.2.8), here printable ASCII. */
function asCOctets(address: string): string {
  return address.replace(/[^\x20-\x7e]/gu, '?').slice(0, addressCharactersMax)
}
