// Builds the deliver_sm that carries a record to its client, or a receipt to its supplier (SMPP 3.4 §4.6, Appendix B).
import type { RecordStatus } from '@tollgate/contract/vocabulary.ts'
import { recordStatuses } from '@tollgate/contract/vocabulary.ts'
import type { SendBody } from '@tollgate/smpp/session/session-types.ts'
import { formatReceipt, stateNames, type StateName } from '@tollgate/smpp/text/receipt.ts'
import { decodeBody } from '@tollgate/smpp/text/decode.ts'
import { splitOctets } from '@tollgate/smpp/text/split.ts'
import { transcodeBody } from '@tollgate/smpp/text/transcode.ts'
import { tags } from '@tollgate/smpp/tlv/tags.ts'
import { makeTlv } from '@tollgate/smpp/tlv/tlv.ts'
import { serviceTypeOctetsMax } from '@tollgate/smpp/pdu/field.ts'
import { esmClass, isSmeAcknowledgement } from '@tollgate/smpp/values/esm-class.ts'
import { messageIdOf, type RawMessage, type IdStyle } from '../../ingest/index.ts'
import { destinationDigits, displaySourceAddress, isAscii } from '../message/address.ts'
import { defaultIdStyle, styledId } from '../message/message-id-style.ts'
import { carriedParameters, returnedParameters } from './parameters.ts'
import type { ReceiptFacts } from './store.ts'

export interface DeliverSm {
  readonly body: SendBody<'deliver_sm'>
  /** Its text needs a TLV, which a peer older than SMPP 3.4 must never get (§3.4.2). */
  readonly needsTlvs: boolean
  /** Where it needs a TLV: the same message in parts that need none; empty when it cannot be cut. */
  readonly parts: readonly SendBody<'deliver_sm'>[]
}

// §5.2.21: a longer text goes as message_payload.
const shortMessageOctetsMax = 254
const addressCharactersMax = 20
// Bits that concern only the supplier's hop, such as the message mode, are removed; the UDH flag and reply path stay, and
// that it is an acknowledgement.
const keptEsmClass = esmClass.udhIndicator | esmClass.replyPath
const keptOf = (esm: number): number =>
  esm & (isSmeAcknowledgement(esm) ? keptEsmClass | esmClass.messageTypeMask : keptEsmClass)

/**
 * The deliver_sm of a record: text, header, coding and all other fields as they came in; numbers are normalised. `alphabet`
 * is the client's data_coding 0, by default the supplier's. Parts have the id of the record as their reference.
 */
export function recordDeliverSm(
  raw: RawMessage,
  recordId: number,
  alphabet = raw.defaultAlphabet,
): DeliverSm {
  const coded = transcodeBody({ ...raw, octets: raw.body }, raw.defaultAlphabet, alphabet)
  const needsTlvs = coded.octets.length > shortMessageOctetsMax
  const octets = Buffer.from(coded.octets.buffer, coded.octets.byteOffset, coded.octets.byteLength)
  const tlvs = carriedParameters(raw)
  const rest = {
    ...sourceOf(addressesOf(raw).source),
    ...destinationOf(addressesOf(raw).destination),
    ...serviceOf(raw),
    priorityFlag: raw.sent?.priorityFlag ?? 0,
    esmClass: keptOf(raw.esmClass),
    dataCoding: coded.dataCoding,
  }
  // For a peer of an older version the SMPP library omits the TLVs.
  if (!needsTlvs) return { needsTlvs, parts: [], body: { ...rest, shortMessage: octets, tlvs } }
  const parts = partsOf({ ...coded, octets, esmClass: rest.esmClass, defaultAlphabet: alphabet }, recordId)
  return {
    needsTlvs,
    parts: parts.map((shortMessage) => ({
      ...rest,
      esmClass: rest.esmClass | esmClass.udhIndicator,
      shortMessage,
    })),
    body: { ...rest, tlvs: [makeTlv(tags.messagePayload, octets), ...tlvs] },
  }
}

/** None for a text that has a header already: its ports or its own position would be lost. Nor for packed septets. */
function partsOf(coded: Parameters<typeof decodeBody>[0], reference: number): readonly Buffer[] {
  const { alphabet, content, headerOctetCount } = decodeBody(coded)
  if (headerOctetCount > 0 || content.length !== coded.octets.length) return []
  return (splitOctets(coded.octets, alphabet, reference) ?? []).map((part) => Buffer.from(part))
}

const receiptStates: Readonly<Record<RecordStatus, StateName>> = {
  pending: 'ENROUTE',
  in_progress: 'ENROUTE',
  completed: 'DELIVRD',
  reported: 'DELIVRD',
  failed: 'UNDELIV',
  no_report: 'EXPIRED',
}

/** How a receipt names its message. */
export interface ReceiptNaming {
  /** The id that the supplier got, where it is not the record's own. */
  readonly answeredId?: string | undefined
  /** The form of its own id, for a message that is not kept; a kept one tells it. */
  readonly idStyle?: IdStyle | undefined
}

/**
 * The deliver_sm of a record's receipt, from its destination to its source address. It does not quote the text. `raw` is the
 * message itself, if it is still kept: the addresses, the service and the parameters by which the supplier knows it go back.
 * It names the id that was answered.
 */
export function receiptDeliverSm(
  facts: ReceiptFacts,
  raw: RawMessage | undefined,
  { answeredId, idStyle = defaultIdStyle }: ReceiptNaming = {},
): DeliverSm {
  const status = recordStatuses[facts.status] ?? 'pending'
  const state = receiptStates[status]
  const key = { createdAtMs: facts.createdAt.getTime(), recordId: Number(facts.recordId) }
  const id = answeredId ?? styledId(messageIdOf(key), key.recordId, raw?.idStyle ?? idStyle)
  const text = formatReceipt({
    id,
    deliveredCount: state === 'DELIVRD' ? 1 : 0,
    submittedAt: facts.createdAt,
    doneAt: facts.updatedAt,
    state,
    errorCode: state === 'DELIVRD' ? 0 : 1,
  })
  const { source, destination } =
    raw === undefined
      ? { source: withTonAndNpi(facts.sender), destination: withTonAndNpi(facts.number) }
      : addressesOf(raw)
  return {
    needsTlvs: false,
    parts: [],
    body: {
      ...sourceOf(destination),
      ...destinationOf(source),
      ...serviceOf(raw),
      esmClass: esmClass.deliveryReceipt,
      shortMessage: Buffer.from(text, 'latin1'),
      tlvs: [
        makeTlv(tags.receiptedMessageId, id),
        makeTlv(tags.messageState, stateNames[state]),
        ...returnedParameters(raw),
      ],
    },
  }
}

interface PduAddress {
  readonly address: string
  readonly ton: number
  readonly npi: number
}

/**
 * The addresses as they were sent, with their TON and NPI. A number that was normalised has lost its plus or 00 and is
 * international in the E.164 plan; one that came without a PDU gets what its form says.
 */
function addressesOf(raw: RawMessage): { source: PduAddress; destination: PduAddress } {
  const { sent } = raw
  // A name with letters beyond ASCII leaves with the octets that it came with.
  const source = isAscii(raw.sourceAddress)
    ? (displaySourceAddress(raw.sourceAddress) ?? '')
    : raw.sourceAddress
  const destination = destinationDigits(raw.destinationAddress) ?? raw.destinationAddress
  return {
    source:
      sent === undefined || source !== raw.sourceAddress
        ? withTonAndNpi(source)
        : { address: source, ton: sent.sourceAddrTon, npi: sent.sourceAddrNpi },
    destination:
      sent === undefined || destination !== raw.destinationAddress
        ? withTonAndNpi(destination)
        : { address: destination, ton: sent.destAddrTon, npi: sent.destAddrNpi },
  }
}

function serviceOf(raw: RawMessage | undefined) {
  const serviceType = raw?.sent?.serviceType ?? ''
  // A lenient link takes one that is longer than its field.
  return {
    serviceType: serviceType.length < serviceTypeOctetsMax ? serviceType : '',
    protocolId: raw?.sent?.protocolId ?? 0,
  }
}

// No international number is shorter; a short code of 7 or 8 digits cannot be told from one.
const internationalDigitsMin = 7

// §5.2.5, §5.2.6: a number is international (1) in the E.164 plan (1), a short code specific to its network (3); a name
// is alphanumeric (5) without a plan (0).
function withTonAndNpi(address: string): PduAddress {
  if (address === '') return { address, ton: 0, npi: 0 }
  if (/^\d+$/.test(address) && address.length < internationalDigitsMin) return { address, ton: 3, npi: 0 }
  return /^\d+$/.test(address) ? { address, ton: 1, npi: 1 } : { address, ton: 5, npi: 0 }
}

function sourceOf({ address, ton, npi }: PduAddress) {
  return { sourceAddrTon: ton, sourceAddrNpi: npi, sourceAddr: asCOctets(address) }
}

function destinationOf({ address, ton, npi }: PduAddress) {
  return { destAddrTon: ton, destAddrNpi: npi, destinationAddr: asCOctets(address) }
}

/** An address field contains at most 20 characters (§5.2.8) of one octet each, without control codes. */
function asCOctets(address: string): string {
  return address.replace(/[^\x20-\x7e\xa0-\xff]/gu, '?').slice(0, addressCharactersMax)
}
